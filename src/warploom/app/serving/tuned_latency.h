// A latency model whose mixtures of experts run with a table of tuned configurations.
#pragma once

#include <atomic>
#include <memory>

#include "warploom/fused_moe/config_table.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Which end of the table's expected speed-ups is taken.
enum class TunedGain { Least, Expected, Most };

// Divides the time of the grouped products of operators with the table's sizes and sharding by the speed-up
// of the nearest key, as the engine looks it up; routing, permutation and launches stay, and so do kernels
// that are not Triton's. Never below the physical bound. Thread-safe.
class TunedLatency final : public LatencyModel {
 public:
  TunedLatency(std::shared_ptr<const LatencyModel> model, MoeConfigTable table, TunedGain gain)
      : model_(std::move(model)), table_(std::move(table)), gain_(gain) {}

  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                      const KernelContext& context = {}) const override;
  // Whether the table is for this operator on this GPU.
  bool serves(const Operator& op, const GpuSpec& gpu) const;
  // Whether any question so far was for this operator.
  bool served() const { return served_.load(std::memory_order_relaxed); }

 private:
  // `result` is that of an untuned table.
  LatencyEstimate tuned(LatencyEstimate result, const Operator& op, const GpuSpec& gpu,
                        const KernelContext& context) const;
  double speedup(std::int64_t tokens) const;
  std::shared_ptr<const LatencyModel> model_;
  MoeConfigTable table_;
  TunedGain gain_;
  mutable std::atomic<bool> served_{false};
};

}  // namespace warploom
