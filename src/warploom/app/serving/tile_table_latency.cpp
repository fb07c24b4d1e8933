#include "warploom/app/serving/tile_table_latency.h"

#include <algorithm>
#include <variant>

namespace warploom {

Seconds TileTableLatency::picked(const TileShape& shape) const {
  const TilePick pick = table_.pick(shape);
  const double bound = table_.error_bound(shape, pick);
  const double error = gain_ == TunedGain::Least ? bound : gain_ == TunedGain::Most ? -bound : 0;
  return microseconds(double(pick.predicted_us) * (1 + error));
}

std::optional<Seconds> TileTableLatency::by_table(const Operator& op, const GpuSpec& gpu) const {
  const TileKernel& kernel = table_.kernel();
  if (gpu.name != table_.gpu().name) return std::nullopt;
  if (const auto* product = std::get_if<Gemm>(&op)) {
    const bool sixteen = product->scheme == MatmulScheme::Bf16 || product->scheme == MatmulScheme::Fp16;
    if (kernel.kind != TileKernelKind::Gemm || kernel.operand_bytes != 2 || !sixteen ||
        kernel.batch != product->batch)
      return std::nullopt;
    return picked({product->m, product->n, product->k});
  }
  const auto* attention = std::get_if<AttentionPrefill>(&op);
  if (attention == nullptr || kernel.kind != TileKernelKind::Attention || kernel.operand_bytes != 2 ||
      bytes_per_element(attention->compute) != 2 || attention->head_dim != kernel.head_dim ||
      attention->heads != attention->kv_heads * kernel.head_group || attention->causal != kernel.causal ||
      attention->window != kernel.window)
    return std::nullopt;
  Seconds time{0.0};  // groups of equal requests run one after the other
  for (const RequestGroup& group : attention->requests)
    time = time + picked({group.query_tokens, group.context_tokens + group.query_tokens,
                          group.count * attention->heads});
  return time;
}

bool TileTableLatency::take(LatencyEstimate& result, const Operator& op, const GpuSpec& gpu) const {
  const std::optional<Seconds> time = by_table(op, gpu);
  if (!time) return false;
  served_.store(true, std::memory_order_relaxed);
  if (*time >= result.p50) return false;
  const double factor = *time / result.p50;
  for (Seconds* each : {&result.p10, &result.p50, &result.p90})
    *each = std::max(result.physical_bound, *each * factor);
  result.tier = std::max(result.tier, tier_of(table_.tier()));
  return true;
}

LatencyEstimate TileTableLatency::estimate(const Operator& op, const GpuSpec& gpu,
                                           const KernelContext& context) const {
  LatencyEstimate result = model_->estimate(op, gpu, context);
  take(result, op, gpu);
  return result;
}

KernelAnswer TileTableLatency::answer(const Operator& op, const GpuSpec& gpu,
                                      const KernelContext& context) const {
  KernelAnswer answer = model_->answer(op, gpu, context);
  if (take(answer.estimate, op, gpu))
    answer.implementation = {context.framework, context.version, "tile_table"};
  return answer;
}

}  // namespace warploom
