// What each measured architecture needs beyond its base at an operator, for a GPU of few rows: where its own
// rows agree with an architecture's, kriging follows that one to sizes that the few rows lack.
#pragma once

#include <array>
#include <cstddef>
#include <span>

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

// One value for each architecture with many rows, in ascending order (the mean over its GPUs that run the
// framework's kernel for the kind), then `said_beyond_base`: what the other tiers say on top of the GPU's own
// base. `kernel` and `asked` are of the GPU that is asked for. Some microseconds for each donor; no
// allocation.
DonorAnswers donor_answers(const LoadedFamily& family, const Operator& op, const KernelContext& context,
                           std::uint32_t kind, const ContextKernel& kernel, const OperatorFeatures& asked,
                           double said_beyond_base);

}  // namespace warploom
