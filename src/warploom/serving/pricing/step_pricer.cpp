#include "warploom/serving/pricing/step_pricer.h"

#include <algorithm>
#include <cmath>

namespace warploom {

KernelSource::KernelSource(const LatencyEstimate& answer, const KernelContext& implementation)
    : tier(answer.tier),
      extrapolated(answer.extrapolated),
      framework(implementation.framework),
      version(implementation.version),
      kernel(implementation.kernel) {}

void StepBatch::set_decode(std::span<const std::int32_t> contexts) {
  decode_requests = std::ssize(contexts);
  decode_contexts = contexts;
  decode_context_sum = 0;
  decode_context_max = 0;
  for (const std::int32_t context : contexts) {
    decode_context_sum += context;
    decode_context_max = std::max(decode_context_max, context);
  }
}

StepCost joined_cost(const StepCost& a, const StepCost& b) {
  const Seconds p50 = a.p50 + b.p50;
  const double below = std::hypot((a.p50 - a.p10).value(), (b.p50 - b.p10).value());
  const double above = std::hypot((a.p90 - a.p50).value(), (b.p90 - b.p50).value());
  return {std::max(Seconds(0.0), p50 - Seconds(below)), p50, p50 + Seconds(above),
          a.collectives + b.collectives};
}

void add_kernel_times(std::vector<KernelTime>& sum, std::span<const KernelTime> kernels) {
  for (const KernelTime& kernel : kernels) {
    const auto same = std::find_if(sum.begin(), sum.end(), [&](const KernelTime& other) {
      return other.family == kernel.family && other.label == kernel.label && other.source == kernel.source;
    });
    if (same == sum.end()) {
      sum.push_back(kernel);
    } else {
      same->time += kernel.time;
      same->calls += kernel.calls;
    }
  }
}

}  // namespace warploom
