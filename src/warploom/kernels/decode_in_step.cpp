#include "warploom/kernels/decode_in_step.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/rule_domain.h"
#include "warploom/kernels/rule_price.h"

namespace warploom {
namespace {

// What follows was fitted and judged on.
constexpr RuleDomain kFittedOn{
    .engine = name_of(Engine::Vllm), .release = "0.24", .gpus = {"h200_sxm", "h100_sxm"}};
constexpr SizeRange kRequests{1, 256}, kTokens{500, 4100}, kHeads{4, 8};
// In another release: the 80th percentile of |ln| between two engines' decode attention
// (predictor/answer/doubt.cpp).
constexpr double kOtherRelease = 0.24;

// Least squares of ln over 36 decoding steps of Llama-3.1-8B, alone and over two GPUs, and Qwen3-30B-A3B
// (vLLM 0.24, H200; 1 to 256 requests of 500 to 4,100 tokens, 4 and 8 KV heads), with the share of the
// memory's rate in the H200's record (tools/engine_truth/attention.py). The start and end of three kernels,
// the one that sums splits included.
constexpr Seconds kEnds = microseconds(11.9);
// What an SM takes for a request and KV head, and for each block of keys of it. Their ratio is the tables'
// (256 requests of 128 and 256 tokens), their level that of the same 36 steps.
constexpr Seconds kTask = microseconds(2.59), kBlock = microseconds(1.74);
constexpr double kBlockKeys = 128;

// The 80th percentile of |ln(time / rule)| of one of the three by a fit to the other two: the largest.
constexpr double kDecodeError = 0.058;

bool has_measured_shape(const AttentionDecode& op) {
  constexpr std::int64_t kHeadDim = 128;
  const bool one_token = std::all_of(op.requests.begin(), op.requests.end(),
                                     [](const RequestGroup& group) { return group.query_tokens == 1; });
  return one_token && op.compute == DataType::Bf16 && op.kv_cache == DataType::Bf16 &&
         op.head_dim == kHeadDim && op.window == 0;
}

Seconds decode_time(const AttentionDecode& op, const GpuSpec& gpu) {
  double tasks = 0, keys = 0;
  for (const RequestGroup& group : op.requests) {
    tasks += double(group.count * op.kv_heads);
    // Lengths differ, so half of a last block is empty.
    keys += double(group.count * op.kv_heads) * (double(group.kv_tokens()) + kBlockKeys / 2);
  }
  constexpr double kTensors = 2;  // keys and values
  const Bytes bytes{keys * double(op.head_dim) * kTensors * bytes_per_element(op.kv_cache)};
  const Seconds memory = bytes / (gpu.decode_attention_share * gpu.memory_bandwidth);
  const Seconds multiprocessors = (tasks * kTask + keys / kBlockKeys * kBlock) / double(gpu.sm_count);
  return kEnds + std::max(memory, multiprocessors);
}

// The widths of the size that lies farthest outside; a batch by its mean request, which sets its time.
double outside_of(const AttentionDecode& op) {
  double requests = 0, tokens = 0;
  for (const RequestGroup& group : op.requests) {
    requests += double(group.count);
    tokens += double(group.count) * double(group.kv_tokens());
  }
  return std::max({widths_outside(kRequests, requests), widths_outside(kTokens, tokens / requests),
                   widths_outside(kHeads, double(op.kv_heads))});
}

}  // namespace

bool decodes_in_step(const Operator& op, const GpuSpec& gpu, const KernelContext& context) {
  const auto* decode = std::get_if<AttentionDecode>(&op);
  if (decode == nullptr || gpu.decode_attention_share == 0 || !has_measured_shape(*decode)) return false;
  return context.kernel.empty() || is_flash_attention(kernel_hints(context).attention);
}

void price_decode_in_step(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                          LatencyEstimate& answer) {
  const auto& decode = std::get<AttentionDecode>(op);
  const bool known = kFittedOn.holds(gpu, context);
  const double error = known ? kDecodeError : std::hypot(kDecodeError, kOtherRelease);
  take_rule({.time = decode_time(decode, gpu),
             .low = -error,
             .high = error,
             .tier = known ? answer.tier : std::max(answer.tier, Tier::CrossGpu),
             .in_step = true,
             .outside = outside_of(decode)},
            answer);
}

}  // namespace warploom
