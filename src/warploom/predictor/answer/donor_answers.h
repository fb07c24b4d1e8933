// The residual ln(latency / base) that each measured architecture has at an operator. For a GPU with few rows
// these are inputs of kriging: where its own rows agree with those of one architecture, kriging follows that
// architecture to sizes that the few rows lack.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "warploom/predictor/answer/kernel_call.h"
#include "warploom/predictor/answer/loaded_family.h"
#include "warploom/predictor/model/kriging.h"

namespace warploom {

struct DonorAnswers {
  static constexpr std::size_t kMost = kMostDonors;
  std::array<float, kMost> values{};  // ln; 0 where an architecture does not run the kernel, within -1 .. 1
  std::size_t count = 0;
  std::span<const float> all() const { return {values.data(), count}; }
  void add(double value);  // further ones than kMost are dropped
};

// One residual for each architecture with many rows, in ascending order (the mean over its GPUs that run the
// framework's kernel for the kind), then `predicted_residual`: ln(prediction of the other tiers / the GPU's
// own base). `asked` holds the call's features. Some microseconds for each donor; no allocation.
DonorAnswers donor_answers(const LoadedFamily& family, const KernelCall& call, const OperatorFeatures& asked,
                           double predicted_residual);

}  // namespace warploom
