// A family's model made ready to answer: its cells indexed, its trees decoded on first use.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom/learning/tree_ensemble.h"
#include "warploom/predictor/answer/learned_gpu.h"
#include "warploom/predictor/model/cell_index.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/model/kriging.h"
#include "warploom/predictor/tables/size_curves.h"
#include "warploom/predictor/tables/table_correction.h"

namespace warploom {

struct LoadedFamily {
  // The catalog must outlive it.
  LoadedFamily(FamilyModel m, const GpuCatalog& catalog);

  // The trees of `ensemble`: that over all GPUs, or an adapted GPU's.
  const TreeEnsemble& trees(int ensemble) const { return decoded(ensemble).trees; }
  // nullptr: the family was not learned as shipped, so the shipped curves may hold what it must not know.
  const SizeCurves* curves() const;
  // The kriging of an adapted GPU.
  const Kriging& kriging(int ensemble) const { return decoded(ensemble).kriging; }
  // The trees of `cell` (an element of model.cells), or nullptr.
  const SymmetricEnsemble* cell_trees(const CellRecord& cell) const;
  // The trees over all cells of the cell's GPU, when the cell did not learn from the row's layer sizes
  // (OperatorFeatures::layer) and the GPU has such trees; else nullptr.
  const SymmetricEnsemble* new_layer_trees(const CellRecord& cell, const OperatorFeatures& row) const;
  // How far the row lies outside the ranges of features in training: of the feature farthest out, in widths
  // of its range, at least kNarrowestRange. 0: inside. A point is inside where every size lies between the
  // least and the greatest that were measured, whether or not its neighbours were; parts of a whole
  // (OperatorFeatures::part_slots) do not count.
  double outside(int ensemble, const OperatorFeatures& row) const;
  // Number of an adapted GPU among model.gpus; -1: it is none.
  int adapted_index(const GpuSpec& gpu) const;
  // compute_features with the constants of the GPU: an element of model.gpus that the catalog has, or any
  // record, of which `number` says that it bears the name of that element, -1: of none.
  void features_of(std::size_t number, const Operator& op, const ContextKernel& kernel,
                   OperatorFeatures& row) const;
  void features_on(const GpuSpec& gpu, int number, const Operator& op, const ContextKernel& kernel,
                   OperatorFeatures& row) const;
  // Fitted constants of the base for a GPU.
  const BaseConstants& constants(const GpuSpec& gpu) const;

  // The trees over all GPUs have seen the source that a context means on a GPU.
  bool cross_knows(const ContextKernel& kernel, const GpuSpec& gpu) const {
    return (sources >> source_code(model.family, kernel, gpu) & 1) != 0;
  }

  const ContextKernel& kernel(const CellRecord& cell) const { return kernels[cell.context]; }

  struct Lazy {
    mutable std::once_flag once;
    mutable TreeEnsemble trees;
    mutable Kriging kriging;  // of an adapted GPU
  };
  struct LazyCell {
    mutable std::once_flag once;
    mutable SymmetricEnsemble trees;
    std::string_view encoded;  // into the model; empty: none
  };
  FamilyModel model;
  RoutingCache routing;  // of mixtures of experts
  CellIndex index;
  std::optional<TableCorrection> tables;  // of a user's measured rows, when there are some
  bool is_shipped = false;
  std::vector<Lazy> ensembles;
  std::vector<LazyCell> cells;                         // of model.cells
  std::vector<LazyCell> layer_trees;                   // of model.gpus
  std::vector<int> by_gpu;                             // ensemble of each of model.gpus; -1: none
  std::vector<ContextKernel> kernels;                  // of model.contexts
  int cross = -1;                                      // the ensemble over all GPUs
  std::vector<std::pair<std::uint64_t, int>> adapted;  // name hashes and numbers
  std::uint32_t sources = 0;                           // source_code of GPUs with many rows, as bits
  std::vector<const GpuSpec*> specs;                   // of model.gpus; nullptr when the catalog lacks it

 private:
  struct LazyCurves {
    mutable std::once_flag once;
    mutable std::optional<SizeCurves> curves;
  };
  const SymmetricEnsemble* decoded(const LazyCell& lazy) const;
  void take_cells(const EnsembleRecord& ensemble);
  const Lazy& decoded(int ensemble) const;
  std::vector<LearnedGpu> learned_;  // of model.gpus
  LazyCurves curves_;
};

}  // namespace warploom
