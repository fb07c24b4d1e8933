// The measured tier: symmetric trees for each cell, intervals of each cell from shapes that the trees never
// saw.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Ranges and the cells' trees of one GPU from a table of its Learn rows.
EnsembleRecord train_gpu(const FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu,
                         std::span<const float> offsets);

// What shapes that the trees never saw say of the measured tier.
struct MeasuredFit {
  std::vector<LogInterval> intervals;  // of the measured cells, from Calibrate rows
  ErrorFigures held_out;               // with them, of HoldOut rows
  std::map<std::string, ErrorFigures> held_out_by_gpu;
};
// The model's ensembles must be complete; GPUs without one are passed over.
MeasuredFit judge_measured(const FamilyJob& job);

}  // namespace warploom
