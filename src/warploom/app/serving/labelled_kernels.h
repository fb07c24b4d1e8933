// What the prices of a run's kernels rested on, summed up.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "warploom/kernels/latency_model.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// A kernel of the model with all its time, whatever priced it.
struct LabelledKernel {
  Family family = Family::Gemm;
  std::string label;
  Seconds time;
  double calls = 0;
  std::vector<KernelTime> parts;  // one for each source, longest first
};
// In the order of their time.
std::vector<LabelledKernel> kernels_by_label(std::span<const KernelTime> kernels);

// Measured when there is none.
Tier weakest_tier(std::span<const KernelTime> kernels);
// Seconds of `kernels` by the tier of what priced them; adds up to their time.
std::array<double, EnumNames<Tier>::kNames.size()> seconds_by_tier(std::span<const KernelTime> kernels);

}  // namespace warploom
