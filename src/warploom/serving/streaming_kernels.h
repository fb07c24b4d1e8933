// What only moves memory, as today's engines run it.
//
// Norms, activations, rotations and cache writes are in the measured data as kernels of 2023 that stream at a
// third of the memory's rate; those of FlashInfer, TensorRT-LLM and Inductor, which engines run now, were
// never swept. They stream at 0.8 of it (prefills of the shared static runs on H100 and A100 need no other
// constant then). A measured kernel that is faster stays.
#pragma once

#include "warploom/kernels/latency_model.h"

namespace warploom {

// Passes every question on to `model`, which must outlive it. Of RmsNorm, Activation, Rope and KvWrite it
// answers at most a launch and the operands at that rate, and keeps the tier; p90 stays the model's, p10 at
// most the answer. Thread-safe as the model is.
class StreamingKernels final : public LatencyModel {
 public:
  explicit StreamingKernels(const LatencyModel& model) : model_(model) {}
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;

 private:
  const LatencyModel& model_;
};

}  // namespace warploom
