// What only moves memory, as today's engines run it.
//
// Norms, activations, rotations and cache writes are in the measured data as kernels of 2023 that stream at a
// third of the memory's rate; those of FlashInfer, TensorRT-LLM and Inductor, which engines run now, were
// never swept. They stream at 0.8 of it (prefills of the shared static runs on H100 and A100 need no other
// constant then). A measured kernel that is faster stays.
#pragma once

#include <memory>
#include <string_view>

#include "warploom/kernels/latency_model.h"

namespace warploom {

// The name under which the rule's answers are reported and can be asked for.
inline constexpr std::string_view kStreamingKernel = "streaming";

// Answers for RmsNorm, Activation, Rope and KvWrite as engines run them: a launch and the operands at that
// rate, in vLLM with constants of their own. Elsewhere than in vLLM on an H200, whose kernels the constants
// and p10 and p90 are of (tier measured), at most that, with a wider interval and tier cross_gpu (roofline
// where `kernels` says so). A question that names a measured kernel, or a framework that is no engine, is
// about just that kernel and is passed on.
//
// Products, mixtures of experts, attention and collectives keep their measured kernel, whose time is changed
// to what it takes inside a step (in_step.h, waiting_ranks.h). Rows of a sweep (KernelContext::as_collected)
// are never changed: they are judged against the kernel that was swept. Thread-safe as `kernels` is.
class StreamingKernels final : public LatencyModel {
 public:
  // Not null. Physics alone (RooflineModel) knows of no kernel, and keeps all of its answers.
  explicit StreamingKernels(std::unique_ptr<const LatencyModel> kernels);
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;
  void estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu, const KernelContext& context,
                      std::span<LatencyEstimate> results) const override;
  // Of kernel kStreamingKernel of the framework and version that were asked for, where the rule answers.
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                      const KernelContext& context = {}) const override;
  // What was measured, without the rule.
  const LatencyModel& kernels() const { return *kernels_; }

 private:
  void take_quantising(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                       LatencyEstimate& answer) const;
  // Applies the rules of the operator; returns whether a rule alone answers.
  bool serve(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
             LatencyEstimate& answer) const;
  std::unique_ptr<const LatencyModel> kernels_;
  bool has_rules_ = true;
};

}  // namespace warploom
