#include "warploom/kernels/waiting_ranks.h"

#include <variant>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/rule_domain.h"
#include "warploom/kernels/widen.h"

namespace warploom {
namespace {

constexpr RuleDomain kFittedOn{.engine = name_of(Engine::Vllm), .release = "0.24", .gpus = {"h200_sxm"}};
constexpr std::int64_t kFittedRanks = 2;

// Waits of NCCL, and of vLLM's custom_all_reduce up to a size, beyond which it has none. Medians over the
// all-reduces of 1 KiB to 1 MiB, and of 1 to 256 KiB, on two H200 in replayed graphs (vLLM 0.24's fixture),
// against predictions.
constexpr Seconds kNcclWait = microseconds(4.4), kOwnKernelWait = microseconds(1.1);
constexpr double kLargestOwnWait = 256.0 * 1024;  // bytes

// TensorRT-LLM's all-reduces were measured with a process for each GPU and are never NCCL's.
bool reduces_by_nccl(const KernelContext& context) {
  return context.kernel.empty() && context.framework != name_of(Engine::TensorRtLlm);
}

Seconds wait_of(const Collective& op, const KernelContext& context) {
  switch (op.kind) {
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
      return kNcclWait;
    case CollectiveKind::AllReduce:
      if (reduces_by_nccl(context)) return kNcclWait;
      return !context.kernel.empty() && op.size.value() <= kLargestOwnWait ? kOwnKernelWait : Seconds(0.0);
    default:
      return Seconds(0.0);
  }
}

}  // namespace

bool wait_for_ranks(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                    LatencyEstimate& answer) {
  const auto* collective = std::get_if<Collective>(&op);
  if (collective == nullptr || collective->ranks < 2) return false;
  const Seconds wait = wait_of(*collective, context);
  answer.p10 += wait;
  answer.p50 += wait;
  answer.p90 += wait;
  const bool known = kFittedOn.holds(gpu, context) && collective->ranks == kFittedRanks;
  if (wait > Seconds(0.0) && !known) widen_by(answer, wait, wait);
  answer.in_step = answer.in_step || wait > Seconds(0.0);
  return wait > Seconds(0.0);
}

}  // namespace warploom
