// The cross_gpu tier: one ensemble over all GPUs, with shrinkage and interval from leaving each architecture
// out.
#pragma once

#include <map>
#include <string>
#include <vector>

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

// What the cross tier may be trusted with on an architecture that was not measured.
struct CrossFit {
  float shrink = 0;  // with least mean error
  LogInterval interval;
  std::map<std::string, ErrorFigures> left_out;  // of each GPU
};
CrossFit fit_cross(const FamilyModel& model, const std::vector<LeftOutArchitecture>& outs);

}  // namespace warploom
