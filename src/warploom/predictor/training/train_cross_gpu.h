// The cross_gpu tier: one ensemble over all GPUs, with shrinkage and interval from leaving each architecture
// out.
#pragma once

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// The ensemble over all GPUs from a table of Learn rows; `classes` are their class_offsets.
EnsembleRecord train_cross(const FamilyJob& job, const TrainingTable& learn, std::span<const float> classes);
// The rows that train_cross learns from.
std::vector<std::uint32_t> cross_rows(const FamilyJob& job);

// Rows of some GPUs predicted from the other architectures alone, constants of the base included.
struct LeftOutArchitecture {
  std::vector<bool> gpus;  // which are left out
  // Per row: its GPU, ln latency less base and class offset, the trees' prediction of that, ln base.
  std::vector<std::uint16_t> gpu;
  std::vector<double> target, trees, log_base;
};
// Leaves a whole architecture class out.
LeftOutArchitecture leave_out(const FamilyJob& job, std::int32_t architecture);

// Shrinkage with least mean error and the interval at it; reports the figures of each GPU.
void fit_cross(FamilyJob& job, const std::vector<LeftOutArchitecture>& outs);

}  // namespace warploom
