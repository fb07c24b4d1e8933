// Adds a sweep of one GPU to a trained model: cells of the sweep's kernels, learned on that model's
// structural base.
#pragma once

#include <optional>

#include "warploom/predictor/training/train_predictor.h"

namespace warploom {

struct FamilyCalibration {
  FamilyModel model;   // learned from every row of the sweep
  FamilyModel judged;  // from all but the held-out shapes, which the report and the intervals are of
  FamilyTraining report;
};

// `sweep` holds rows of one GPU. The content of `shipped` (nullptr: the family was never learned) stays as it
// is, to the last digit: constants, cells and trees of other kernels and GPUs. A GPU that was only adapted
// (GpuRecord::adapted) becomes a measured one, and its few earlier rows go. nullopt: fewer than
// kFewestRowsForTrees rows of the family. Deterministic.
std::optional<FamilyCalibration> calibrate_family(const Dataset& sweep, const GpuCatalog& catalog,
                                                  const TrainingOptions& options, Family family,
                                                  const FamilyModel* shipped);

}  // namespace warploom
