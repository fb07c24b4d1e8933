#include "warploom/serving/streaming_kernels.h"

#include <algorithm>

#include "warploom/kernels/work.h"

namespace warploom {
namespace {

constexpr double kShare = 0.8;                // of the memory's peak rate
constexpr Seconds kLaunch = microseconds(3);  // in a CUDA graph, with the row's reduction

bool streams(const Operator& op) {
  return std::holds_alternative<RmsNorm>(op) || std::holds_alternative<Activation>(op) ||
         std::holds_alternative<Rope>(op) || std::holds_alternative<KvWrite>(op);
}

}  // namespace

LatencyEstimate StreamingKernels::estimate(const Operator& op, const GpuSpec& gpu,
                                           const KernelContext& context) const {
  LatencyEstimate answer = model_.estimate(op, gpu, context);
  if (!streams(op)) return answer;
  const Work work = work_of(op);
  const Seconds streamed = kLaunch + work.unique_bytes() / (kShare * gpu.memory_bandwidth);
  if (streamed >= answer.p50) return answer;
  answer.p50 = std::max(streamed, answer.physical_bound);
  answer.p10 = std::min(answer.p10, answer.p50);
  return answer;
}

}  // namespace warploom
