// A family's model made ready to answer: its cells indexed, its trees decoded on first use.
#pragma once

#include <mutex>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/cell_index.h"
#include "warploom/predictor/family_model.h"
#include "warploom/predictor/known_kernel.h"
#include "warploom/predictor/tree_ensemble.h"

namespace warploom {

struct LoadedFamily {
  // The catalog must outlive it.
  LoadedFamily(FamilyModel m, const GpuCatalog& catalog);

  const TreeEnsemble& trees(int ensemble) const;
  // Some feature lies outside its range in training.
  bool outside(int ensemble, const FeatureRow& row) const;
  // Fitted constants of the base for a GPU.
  const BaseConstants& constants(const GpuSpec& gpu) const;

  KnownKernel kernel(const CellRecord& cell) const { return kernels[cell.context]; }

  struct Lazy {
    mutable std::once_flag once;
    mutable TreeEnsemble trees;
  };
  FamilyModel model;
  RoutingCache routing;  // of mixtures of experts
  CellIndex index;
  std::vector<Lazy> ensembles;
  std::vector<int> by_gpu;            // ensemble of each of model.gpus; -1: none
  std::vector<KnownKernel> kernels;   // of model.contexts
  int cross = -1;                     // the ensemble over all GPUs
  std::vector<const GpuSpec*> specs;  // of model.gpus; nullptr when the catalog lacks it
};

}  // namespace warploom
