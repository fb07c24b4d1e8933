// A latency model on a machine that was measured: the prices of another, scaled.
#pragma once

#include <memory>
#include <utility>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/machine_profile.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Thread-safe.
class MachineLatency final : public LatencyModel {
 public:
  MachineLatency(std::shared_ptr<const LatencyModel> model, MachineProfile machine)
      : model_(std::move(model)), machine_(std::move(machine)) {}

  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override {
    return scaled(model_->estimate(op, gpu, context), op, gpu, context);
  }
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                      const KernelContext& context = {}) const override {
    KernelAnswer answer = model_->answer(op, gpu, context);
    answer.estimate = scaled(answer.estimate, op, gpu, context);
    return answer;
  }

 private:
  LatencyEstimate scaled(const LatencyEstimate& estimate, const Operator& op, const GpuSpec& gpu,
                         const KernelContext& context) const {
    return on_machine(estimate, op, machine_, quantising_part(*model_, op, gpu, context));
  }

  std::shared_ptr<const LatencyModel> model_;
  MachineProfile machine_;
};

}  // namespace warploom
