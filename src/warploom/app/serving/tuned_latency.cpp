#include "warploom/app/serving/tuned_latency.h"

#include <algorithm>
#include <cstdlib>

#include "warploom/kernels/moe/moe_base.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom {
namespace {

// Share of the time that the grouped products take in the structural model.
double product_share(const FusedMoe& op, const GpuSpec& gpu) {
  const RoutingLoad load = routing_load(op);
  const MoeBase base = moe_base(op, gpu, KnownKernel::None, rank_workload(op, load, {}), moe_sizes(op, load),
                                sustained_rate_share(gpu), default_constants(Family::Moe));
  return std::clamp(1 - (base.launch + base.pairs_moved + base.choices_moved) / base.total, 0.0, 1.0);
}

}  // namespace

bool TunedLatency::serves(const Operator& op, const GpuSpec& gpu) const {
  const auto* moe = std::get_if<FusedMoe>(&op);
  const MoeLayer& layer = table_.layer;
  const bool sixteen =
      moe != nullptr && (moe->scheme == MatmulScheme::Bf16 || moe->scheme == MatmulScheme::Fp16);
  return moe != nullptr && gpu.name == table_.gpu && sixteen == (layer.dtype == MoeDtype::Bits16) &&
         moe->experts == layer.experts && moe->top_k == layer.top_k && moe->hidden == layer.hidden &&
         moe->intermediate == layer.intermediate && moe->tensor_parallel == layer.tensor_parallel &&
         moe->expert_parallel == layer.expert_parallel;
}

double TunedLatency::speedup(std::int64_t tokens) const {
  const auto nearest = std::min_element(table_.rows.begin(), table_.rows.end(),
                                        [&](const MoeConfigRow& a, const MoeConfigRow& b) {
                                          return std::abs(a.tokens - tokens) < std::abs(b.tokens - tokens);
                                        });
  return gain_ == TunedGain::Least  ? nearest->speedup_p10
         : gain_ == TunedGain::Most ? nearest->speedup_p90
                                    : nearest->speedup;
}

LatencyEstimate TunedLatency::estimate(const Operator& op, const GpuSpec& gpu,
                                       const KernelContext& context) const {
  return tuned(model_->estimate(op, gpu, context), op, gpu, context);
}

KernelAnswer TunedLatency::answer(const Operator& op, const GpuSpec& gpu,
                                  const KernelContext& context) const {
  KernelAnswer answer = model_->answer(op, gpu, context);
  answer.estimate = tuned(answer.estimate, op, gpu, context);
  return answer;
}

LatencyEstimate TunedLatency::tuned(LatencyEstimate result, const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) const {
  const bool triton = context.kernel.empty() || context.kernel.find("triton") != std::string_view::npos;
  if (!triton || !serves(op, gpu)) return result;
  served_.store(true, std::memory_order_relaxed);
  const auto& moe = std::get<FusedMoe>(op);
  const double share = product_share(moe, gpu);
  const double factor = 1 - share + share / speedup(moe.tokens);
  for (Seconds* time : {&result.p10, &result.p50, &result.p90})
    *time = std::max(result.physical_bound, *time * factor);
  result.tier = std::max(result.tier, table_.tier);
  return result;
}

}  // namespace warploom
