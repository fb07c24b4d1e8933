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

// What an answer may leave out of account when it says what it rests on: some kernels (sampling, embeddings)
// were measured on no GPU by anybody and take a few per cent of a step.
inline constexpr double kUntoldShare = 0.1;  // of the kernels' time

// What the time of a run's kernels rests on, weighed by time.
struct KernelTrust {
  // The best tier such that it and those above it hold all but kUntoldShare; Measured without kernels.
  Tier tier = Tier::Measured;
  // Shares of the kernels' time by the tier of what priced them, by Tier; they add up to one, or are zero
  // without kernels.
  std::array<double, EnumNames<Tier>::kNames.size()> tier_shares{};
  double outside_share = 0;   // of kernels outside of the sizes that were measured
  bool extrapolated = false;  // more than kUntoldShare of the time
};
KernelTrust trust_of(std::span<const KernelTime> kernels);

// Seconds of `kernels` by the tier of what priced them; adds up to their time.
std::array<double, EnumNames<Tier>::kNames.size()> seconds_by_tier(std::span<const KernelTime> kernels);

}  // namespace warploom
