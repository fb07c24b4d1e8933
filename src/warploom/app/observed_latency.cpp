#include "warploom/app/observed_latency.h"

#include <algorithm>

namespace warploom {

LatencyEstimate ObservedLatency::estimate(const Operator& op, const GpuSpec& gpu,
                                          const KernelContext& context) const {
  const LatencyEstimate answer = model_.estimate(op, gpu, context);
  std::atomic<int>& weakest = tiers_[std::size_t(family_of(op))];
  const int tier = int(answer.tier);
  int seen = weakest.load(std::memory_order_relaxed);
  while (seen < tier && !weakest.compare_exchange_weak(seen, tier, std::memory_order_relaxed)) {
  }
  if (answer.extrapolated) extrapolated_.store(true, std::memory_order_relaxed);
  return answer;
}

Tier ObservedLatency::tier(Family family) const {
  return Tier(tiers_[std::size_t(family)].load(std::memory_order_relaxed));
}

Tier ObservedLatency::tier() const {
  int weakest = 0;
  for (const std::atomic<int>& tier : tiers_)
    weakest = std::max(weakest, tier.load(std::memory_order_relaxed));
  return Tier(weakest);
}

}  // namespace warploom
