// A latency model whose products, or attention of prompts, may run through a tuner's table.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "warploom/app/serving/tuned_latency.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

// An operator that the table is of (operand size; head size, grouping and mask) takes what the table predicts
// for its pick, where that is less than what the engine's kernel takes: an engine would keep its own
// elsewhere. A pick's error bound is the end that `gain` names. Never below the physical bound. Thread-safe.
class TileTableLatency final : public LatencyModel {
 public:
  TileTableLatency(std::shared_ptr<const LatencyModel> model, RuntimeTable table, TunedGain gain)
      : model_(std::move(model)), table_(std::move(table)), gain_(gain) {}

  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                      const KernelContext& context = {}) const override;
  // Whether any question so far was for an operator of the table.
  bool served() const { return served_.load(std::memory_order_relaxed); }

 private:
  // The time of the table's kernel; nothing for an operator that it does not serve.
  std::optional<Seconds> by_table(const Operator& op, const GpuSpec& gpu) const;
  Seconds picked(const TileShape& shape) const;
  // Whether the table's kernel took the operator.
  bool take(LatencyEstimate& result, const Operator& op, const GpuSpec& gpu) const;

  std::shared_ptr<const LatencyModel> model_;
  RuntimeTable table_;
  TunedGain gain_;
  mutable std::atomic<bool> served_{false};
};

}  // namespace warploom
