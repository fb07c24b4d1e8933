// The cross_gpu tier: one ensemble over all GPUs, with shrinkage and interval from leaving each GPU out.
#pragma once

#include "warploom/predictor/family_job.h"

namespace warploom {

// The ensemble over all GPUs from a table of Learn rows; `classes` are their class_offsets.
EnsembleRecord train_cross(const FamilyJob& job, const TrainingTable& learn, std::span<const float> classes);
// The rows that train_cross learns from.
std::vector<std::uint32_t> cross_rows(const FamilyJob& job);

// One GPU predicted without any of its rows, constants of the base included.
struct LeftOut {
  bool known_architecture = false;
  // Per row: ln latency less base and class offset, what the trees say of it, ln base.
  std::vector<double> target, trees, log_base;
};
LeftOut leave_out(const FamilyJob& job, int gpu);

// Shrinkages with least mean error and the intervals at them; reports the figures of each GPU.
void fit_cross(FamilyJob& job, const std::vector<LeftOut>& outs);

}  // namespace warploom
