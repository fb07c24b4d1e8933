// GPUs with few rows: how these correct the prediction of the other GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// The constants of the base for adapted GPUs that no sibling serves, those of an architecture together, with
// the others' as prior. Needs the constants of kAnyGpu and the overheads of the cells.
std::vector<ConstantsRecord> refit_constants(const FamilyJob& job);

// How an adapted GPU corrects the prediction of the others.
struct Adaptation {
  std::uint16_t gpu = 0;
  float level = 0, share = 0;        // of GpuRecord
  LogInterval interval;              // of its cells, whose offsets are 0
  std::vector<std::uint32_t> cells;  // those that its rows are of
  std::string trees;                 // of EnsembleRecord
};
// One for each adapted GPU. The trees' share and the intervals come from cross-validation by shape. The other
// tiers of the model must be complete.
std::vector<Adaptation> train_adapted(const FamilyJob& job);

}  // namespace warploom
