// Trains a predictor from measurements: per family one ensemble for each GPU (measured tier), one over all
// GPUs (cross_gpu tier) whose shrinkage and interval come from leaving each GPU out, and intervals from
// shapes that the trees never saw.
//
// Deterministic: equal rows (in order), options and library version give equal bytes, for any number of
// threads.
#pragma once

#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/training/training_options.h"
#include "warploom/predictor/training/training_report.h"

namespace warploom {

struct TrainingResult {
  std::vector<FamilyModel> models;
  std::vector<FamilyTraining> report;
};

// Throws InvalidInput when a family that was asked for has too few rows, NotFound on an unknown GPU.
TrainingResult train_predictor(const Dataset& dataset, const GpuCatalog& catalog,
                               const TrainingOptions& options);

}  // namespace warploom
