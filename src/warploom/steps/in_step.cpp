#include "warploom/steps/in_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "warploom/kernels/work.h"
#include "warploom/steps/apply_rule.h"
#include "warploom/steps/expert_tiles.h"

namespace warploom {
namespace {

// A kernel that reads weights: its start and end, and the share of the memory's rate between them.
Seconds streamed(Seconds ends, double share, Bytes weights, const GpuSpec& gpu) {
  return ends + weights / (share * gpu.memory_bandwidth);
}

// Nothing else: the measured time.
Seconds time_in_step(const ProductConstants& rule, const Gemm& op, const GpuSpec& gpu, Seconds measured) {
  if (op.scheme != MatmulScheme::Bf16 || op.batch != 1) return measured;
  const double m = double(op.m);
  if (m >= rule.computing_rows) return measured * rule.computing;
  const double rows = 1 + m / rule.rows_that_double;
  const Seconds stream =
      std::min(measured, rows * streamed(rule.ends, rule.share, work_of(op).weight_bytes, gpu));
  if (m <= rule.streaming_rows) return stream;
  // Between the two, evenly from the one to the other.
  const double computing = (m - rule.streaming_rows) / (rule.computing_rows - rule.streaming_rows);
  return (1 - computing) * stream + computing * measured * rule.computing;
}

// How much longer matrix units take that are busy for a share of the time, at the clock that the power
// leaves: above the limit it falls with the root of what is asked for.
double slowdown_by_power(const ExpertConstants& rule, const FusedMoe& op, const GpuSpec& gpu, Seconds time) {
  const FlopPerSecond light = gpu.tensor_rate(gpu.tensor_rates.fp16) * gpu.clock_headroom();
  const double busy = (work_of(op).matrix_flop / light) / time;
  return std::sqrt(std::max(1.0, rule.idle_need + rule.matrix_need * busy));
}

Seconds time_in_step(const ExpertConstants& rule, const RuleUse& tiles, const FusedMoe& op,
                     const GpuSpec& gpu, Seconds measured) {
  if (op.scheme != MatmulScheme::Bf16 || op.pass != MoePass::Both) return measured;
  const Seconds weights = streamed(rule.ends, rule.share, work_of(op).weight_bytes, gpu);
  Seconds time = std::min(measured, std::max(weights, measured - rule.replay));
  if (tiles) {
    const auto whole = whole_expert_tiles(tiles.constants<ExpertTileConstants>(), rule, op, gpu, weights);
    if (whole) time = std::min(time, *whole);
  }
  return time * slowdown_by_power(rule, op, gpu, time);
}

// The measured kernel with another time, its interval in proportion.
void put_time(const RuleUse& use, Seconds time, double rows, const Operator& op, LatencyEstimate& answer) {
  time = std::max(time, answer.physical_bound);
  const double ratio = time / answer.p50;
  answer.in_step = true;
  answer.p10 = std::max(time - (answer.p50 - answer.p10) * ratio, answer.physical_bound);
  answer.p90 = time + (answer.p90 - answer.p50) * ratio;
  answer.p50 = time;
  if (ratio == 1) return;
  const bool inside = outside_of(*use.rule, {rows, work_of(op).weight_bytes.value()}) == 0;
  doubt_change(use, inside, ratio, answer);
}

// Experts by Triton's kernel, which engines take by default, are what the steps had.
bool is_tritons(std::string_view kernel) {
  return kernel.empty() || kernel.find("triton") != std::string_view::npos;
}

// The library whose kernel engines tune as they start; its experts are also what they take by default.
bool is_tuned_at_start(std::string_view kernel) {
  return kernel.empty() || kernel.find("flashinfer") != std::string_view::npos;
}

// Another release may tune more, so a question has to name one of the rule's.
void price_untuned(const StepRules& rules, const FusedMoe& op, const GpuSpec& gpu,
                   const KernelContext& context, LatencyEstimate& answer) {
  if (op.scheme != MatmulScheme::Fp8Block || context.version.empty() || !is_tuned_at_start(context.kernel))
    return;
  const RuleUse use = rules.find(RuleKind::UntunedExperts, gpu, context);
  if (!use || !use.own_release) return;
  const auto& untuned = use.constants<UntunedExpertConstants>();
  if (double(op.tokens) > untuned.tuned_tokens)
    put_time(use, untuned.times * answer.p50, double(op.tokens), op, answer);
}

}  // namespace

void price_in_step(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                   const KernelContext& context, LatencyEstimate& answer) {
  if (const auto* product = std::get_if<Gemm>(&op)) {
    const RuleUse use = rules.find(RuleKind::Products, gpu, context);
    if (!use) return;
    const Seconds time = time_in_step(use.constants<ProductConstants>(), *product, gpu, answer.p50);
    put_time(use, time, double(product->m), op, answer);
  } else if (const auto* experts = std::get_if<FusedMoe>(&op)) {
    price_untuned(rules, *experts, gpu, context, answer);
    if (!is_tritons(context.kernel)) return;
    const RuleUse use = rules.find(RuleKind::Experts, gpu, context);
    if (!use) return;
    const RuleUse tiles = rules.find(RuleKind::ExpertTiles, gpu, context);
    const Seconds time = time_in_step(use.constants<ExpertConstants>(), tiles, *experts, gpu, answer.p50);
    put_time(use, time, double(experts->tokens), op, answer);
  }
}

}  // namespace warploom
