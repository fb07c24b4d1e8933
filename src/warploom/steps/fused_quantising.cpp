#include "warploom/steps/fused_quantising.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/row_passes.h"
#include "warploom/kernels/widen.h"
#include "warploom/steps/apply_rule.h"

namespace warploom {

Seconds held_passes(const QuantisingConstants& rule, Seconds pass) {
  return std::max(pass, rule.passes_in_row * pass - rule.launched_early);
}

std::optional<RuleKind> quantising_of(const Gemm& product) {
  if (product.batch != 1) return std::nullopt;
  if (product.scheme == MatmulScheme::Fp8) return RuleKind::Quantising;
  if (product.scheme == MatmulScheme::Fp8Block) return RuleKind::BlockQuantising;
  return std::nullopt;
}

Seconds fused_quantising(const QuantisingConstants& rule, const Gemm& product, const GpuSpec& gpu) {
  const Seconds row = rule.one_row + double(product.k) / 1000 * rule.thousand_elements;
  const double elements = double(product.m) * double(product.k);
  const Seconds arithmetic(rule.clocks_per_element / (double(gpu.sm_count) * gpu.max_clock.value())),
      stream = rule.bytes_per_element / (rule.stream_share * gpu.memory_bandwidth);
  const Seconds many = elements * (arithmetic - stream);
  return product.scheme == MatmulScheme::Fp8Block ? row + many : std::max(row, many);
}

void fuse_quantising(const RuleUse& use, const Gemm& product, const GpuSpec& gpu, Seconds pass,
                     LatencyEstimate& answer) {
  const auto& rule = use.constants<QuantisingConstants>();
  const Seconds fused = fused_quantising(rule, product, gpu), bound = answer.physical_bound;
  const Seconds time = without_passes(answer, held_passes(rule, pass) - fused);
  const double ratio = time / answer.p50;
  // That none of it stays, or twice as much: more than 80 % of the steps that it was fitted on lie inside.
  const double below = std::hypot(((answer.p50 - answer.p10) * ratio).value(), fused.value());
  const double above = std::hypot(((answer.p90 - answer.p50) * ratio).value(), fused.value());
  answer.p50 = time;
  answer.p10 = std::max(time - Seconds(below), bound);
  answer.p90 = time + Seconds(above);
  answer.in_step = true;
  doubt_change(use, outside_of(*use.rule, {double(product.m), double(product.k)}) == 0, ratio, answer);
}

void drop_other_pass(const RuleUse& use, Seconds pass, LatencyEstimate& answer) {
  const Seconds other = held_passes(use.constants<QuantisingConstants>(), pass) - pass;
  const Seconds time = without_passes(answer, other);
  const Seconds below = answer.p50 - answer.p10, above = answer.p90 - answer.p50;
  answer.p50 = time;
  answer.p10 = std::max(time - below, answer.physical_bound);
  answer.p90 = time + above;
  answer.in_step = true;
  answer.tier = tier_by(use, answer.tier);
  widen_by(answer, other, other);
}

void bound_by_dynamic(const LatencyEstimate& dynamic, LatencyEstimate& answer) {
  if (dynamic.p50 >= answer.p50) return;
  const double change = std::log(answer.p50 / dynamic.p50);
  answer.p10 = std::min(answer.p10, dynamic.p10);
  answer.p50 = dynamic.p50;
  answer.p90 = dynamic.p90;
  answer.tier = std::max(answer.tier, dynamic.tier);
  widen(answer, change);
}

void fuse_static_quantising(const RuleUse& use, const Quantize& pass, const GpuSpec& gpu,
                            LatencyEstimate& answer) {
  if (pass.dynamic || pass.target != DataType::Fp8) return;
  const auto& rule = use.constants<QuantisingConstants>();
  const Seconds fused =
      std::max(answer.physical_bound, fused_quantising(rule, {.m = pass.rows, .k = pass.width}, gpu));
  if (fused >= answer.p50) return;
  // That none of it stays, or twice as much, as with dynamic scales.
  answer.p50 = fused;
  answer.p10 = answer.physical_bound;
  answer.p90 = 2 * fused;
  answer.in_step = true;
  answer.tier = tier_by(use, answer.tier);
}

}  // namespace warploom
