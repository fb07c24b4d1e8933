#include "warploom/kernels/streaming_kernels.h"

#include <algorithm>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

constexpr double kShare = 0.8;                // of the memory's peak rate
constexpr Seconds kLaunch = microseconds(3);  // in a CUDA graph, with the row's reduction

bool streams(const Operator& op) {
  return std::holds_alternative<RmsNorm>(op) || std::holds_alternative<Activation>(op) ||
         std::holds_alternative<Rope>(op) || std::holds_alternative<KvWrite>(op);
}

// As an engine runs it, rather than one kernel that somebody swept.
bool asks_an_engine(const KernelContext& context) {
  return context.kernel.empty() && (context.framework.empty() || is_engine(context.framework));
}

bool asks_by_name(const KernelContext& context) { return context.kernel == kStreamingKernel; }

bool applies(const Operator& op, const KernelContext& context) {
  return streams(op) && (asks_an_engine(context) || asks_by_name(context));
}

// What the measured kernels are asked: they know none of the rule's name.
KernelContext without_rule(KernelContext context) {
  if (asks_by_name(context)) context.kernel = {};
  return context;
}

Seconds streaming_time(const Operator& op, const GpuSpec& gpu) {
  return kLaunch + work_of(op).unique_bytes() / (kShare * gpu.memory_bandwidth);
}

// Returns whether the rule is the faster of the two.
bool stream(const Operator& op, const GpuSpec& gpu, LatencyEstimate& answer) {
  const Seconds streamed = streaming_time(op, gpu);
  if (streamed >= answer.p50) return false;
  answer.p50 = std::max(streamed, answer.physical_bound);
  answer.p10 = std::min(answer.p10, answer.p50);
  return true;
}

}  // namespace

LatencyEstimate StreamingKernels::estimate(const Operator& op, const GpuSpec& gpu,
                                           const KernelContext& context) const {
  LatencyEstimate answer = kernels_->estimate(op, gpu, without_rule(context));
  if (applies(op, context)) stream(op, gpu, answer);
  return answer;
}

void StreamingKernels::estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu,
                                      const KernelContext& context,
                                      std::span<LatencyEstimate> results) const {
  kernels_->estimate_batch(operators, gpu, without_rule(context), results);
  for (std::size_t i = 0; i < operators.size(); ++i)
    if (applies(operators[i], context)) stream(operators[i], gpu, results[i]);
}

KernelContext StreamingKernels::resolved_context(const Operator& op, const GpuSpec& gpu,
                                                 const KernelContext& context) const {
  const KernelContext asked = without_rule(context);
  if (applies(op, context)) {
    LatencyEstimate answer = kernels_->estimate(op, gpu, asked);
    if (stream(op, gpu, answer)) return {context.framework, context.version, kStreamingKernel};
  }
  return kernels_->resolved_context(op, gpu, asked);
}

}  // namespace warploom
