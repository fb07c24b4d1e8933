#include "warploom/steps/decode_in_step.h"

#include <algorithm>
#include <variant>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/steps/apply_rule.h"

namespace warploom {
namespace {

bool has_measured_shape(const DecodeConstants& rule, const AttentionDecode& op) {
  const bool one_token = std::all_of(op.requests.begin(), op.requests.end(),
                                     [](const RequestGroup& group) { return group.query_tokens == 1; });
  return one_token && op.compute == DataType::Bf16 && op.kv_cache == DataType::Bf16 &&
         double(op.head_dim) == rule.head_dim && op.window == 0;
}

Seconds decode_time(const DecodeConstants& rule, const AttentionDecode& op, const GpuSpec& gpu) {
  double tasks = 0, keys = 0;  // a task: a request and KV head
  for (const RequestGroup& group : op.requests) {
    tasks += double(group.count * op.kv_heads);
    // Lengths differ, so half of a last block is empty.
    keys += double(group.count * op.kv_heads) * (double(group.kv_tokens()) + rule.block_keys / 2);
  }
  constexpr double kTensors = 2;  // keys and values
  const Bytes bytes{keys * double(op.head_dim) * kTensors * bytes_per_element(op.kv_cache)};
  const Seconds memory = bytes / (rule.memory_share * gpu.memory_bandwidth);
  const Seconds multiprocessors =
      (tasks * rule.task + keys / rule.block_keys * rule.block) / double(gpu.sm_count);
  return rule.ends + std::max(memory, multiprocessors);
}

}  // namespace

bool price_decode_in_step(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                          const KernelContext& context, LatencyEstimate& answer) {
  const auto* decode = std::get_if<AttentionDecode>(&op);
  if (decode == nullptr) return false;
  const RuleUse use = rules.find(RuleKind::DecodeAttention, gpu, context);
  if (!use || !has_measured_shape(use.constants<DecodeConstants>(), *decode)) return false;
  if (!context.kernel.empty() && !is_flash_attention(kernel_hints(context).attention)) return false;
  // A batch counts by its mean request, which sets its time.
  double requests = 0, tokens = 0;
  for (const RequestGroup& group : decode->requests) {
    requests += double(group.count);
    tokens += double(group.count) * double(group.kv_tokens());
  }
  take_rule(price_by(use, decode_time(use.constants<DecodeConstants>(), *decode, gpu),
                     {requests, tokens / requests, double(decode->kv_heads)}, answer.tier),
            answer);
  return true;
}

}  // namespace warploom
