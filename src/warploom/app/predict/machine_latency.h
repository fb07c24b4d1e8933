// A latency model on a machine that was measured: the prices of another, scaled.
#pragma once

#include <memory>
#include <utility>

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
    return on_machine(model_->estimate(op, gpu, context), op, machine_);
  }
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                      const KernelContext& context = {}) const override {
    KernelAnswer answer = model_->answer(op, gpu, context);
    answer.estimate = on_machine(answer.estimate, op, machine_);
    return answer;
  }

 private:
  std::shared_ptr<const LatencyModel> model_;
  MachineProfile machine_;
};

}  // namespace warploom
