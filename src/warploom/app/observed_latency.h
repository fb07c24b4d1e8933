// A latency model that remembers how well its answers were founded.
#pragma once

#include <array>
#include <atomic>

#include "warploom/kernels/latency_model.h"

namespace warploom {

// Passes every question on to `model`, which must outlive it, and keeps the weakest tier of each family's
// answers. Thread-safe, as every LatencyModel is.
class ObservedLatency final : public LatencyModel {
 public:
  explicit ObservedLatency(const LatencyModel& model) : model_(model) {}

  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;

  // The weakest tier of the answers so far; of one family, or of all. Measured when nothing was asked.
  Tier tier(Family family) const;
  Tier tier() const;
  // Some answer lay outside the measured domain.
  bool extrapolated() const { return extrapolated_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kFamilies = EnumNames<Family>::kNames.size();
  const LatencyModel& model_;
  mutable std::array<std::atomic<int>, kFamilies> tiers_{};
  mutable std::atomic<bool> extrapolated_{false};
};

}  // namespace warploom
