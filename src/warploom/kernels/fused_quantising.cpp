#include "warploom/kernels/fused_quantising.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/rule_domain.h"
#include "warploom/kernels/widen.h"

namespace warploom {
namespace {

constexpr RuleDomain kFittedOn{.engine = name_of(Engine::Vllm), .release = "0.24", .gpus = {"h100_sxm"}};
constexpr SizeRange kRows{1, 8192}, kDepths{4096, 14336};

// Fitted on the kernels of Llama-3.1-8B in fp8 in vLLM 0.24 on an H100, 1 to 8,192 tokens: what they take
// beyond the same norms and activations in bf16, and the kernel of its own after attention. A row is one
// block's, which looks through it for the largest value before it writes: some us, and longer for long rows.
constexpr Seconds kOneRow = microseconds(1.3), kThousandElements = microseconds(0.15);
// Many rows: Triton's kernels that quantise are held up by arithmetic, so much of it an element (SM clocks),
// where the norms and activations that they stand in for would move so many bytes an element at the share of
// the memory's rate that streaming_rule.cpp has. Both are means over the four products of a layer: two
// behind norms, one behind attention, one behind an activation.
constexpr double kClocksPerElement = 0.64;
constexpr Bytes kBytesPerElement{5.69};
constexpr double kStreamShare = 0.96;
// Two passes stand in a row of the table, the second launched while the first runs: what the same products
// are longer there than in those steps, 5.5 us at 1 row to 36 us at 2,048.
constexpr double kPassesInRow = 2;
constexpr Seconds kLaunchedEarly = microseconds(1.2);

// The passes of a row, each of which takes `pass`.
Seconds held_passes(Seconds pass) { return std::max(pass, kPassesInRow * pass - kLaunchedEarly); }

// Times the bound: the nearest of the public rows of fp8 products without a pass (PipeWeave's, 16,384 rows on
// an H20).
constexpr double kNearestToBound = 1.1;

}  // namespace

Seconds without_passes(const LatencyEstimate& row, Seconds passes) {
  return std::max(row.p50 - passes, std::min(row.p50, kNearestToBound * row.physical_bound));
}

bool holds_quantising(const Gemm& product) {
  return product.scheme == MatmulScheme::Fp8 && product.batch == 1;
}

Seconds fused_quantising(const Gemm& product, const GpuSpec& gpu) {
  const Seconds row = kOneRow + double(product.k) / 1000 * kThousandElements;
  const double elements = double(product.m) * double(product.k);
  const Seconds arithmetic(kClocksPerElement / (double(gpu.sm_count) * gpu.max_clock.value())),
      stream = kBytesPerElement / (kStreamShare * gpu.memory_bandwidth);
  return std::max(row, elements * (arithmetic - stream));
}

void fuse_quantising(const Gemm& product, const GpuSpec& gpu, const KernelContext& context, Seconds pass,
                     LatencyEstimate& answer) {
  const Seconds fused = fused_quantising(product, gpu), bound = answer.physical_bound;
  const Seconds held = held_passes(pass);
  const Seconds time = without_passes(answer, held - fused);
  const double ratio = time / answer.p50;
  // That none of it stays, or twice as much: more than 80 % of the steps that it was fitted on lie inside.
  const double below = std::hypot(((answer.p50 - answer.p10) * ratio).value(), fused.value());
  const double above = std::hypot(((answer.p90 - answer.p50) * ratio).value(), fused.value());
  answer.p50 = time;
  answer.p10 = std::max(time - Seconds(below), bound);
  answer.p90 = time + Seconds(above);
  answer.in_step = true;
  const bool known = kFittedOn.holds(gpu, context) && widths_outside(kRows, double(product.m)) == 0 &&
                     widths_outside(kDepths, double(product.k)) == 0;
  if (!known) widen(answer, std::abs(std::log(ratio)));
}

void drop_other_pass(Seconds pass, LatencyEstimate& answer) {
  const Seconds other = held_passes(pass) - pass;
  const Seconds time = without_passes(answer, other);
  const Seconds below = answer.p50 - answer.p10, above = answer.p90 - answer.p50;
  answer.p50 = time;
  answer.p10 = std::max(time - below, answer.physical_bound);
  answer.p90 = time + above;
  answer.in_step = true;
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

void fuse_static_quantising(const Quantize& pass, const GpuSpec& gpu, LatencyEstimate& answer) {
  if (pass.dynamic || pass.target != DataType::Fp8) return;
  const Seconds fused =
      std::max(answer.physical_bound, fused_quantising({.m = pass.rows, .k = pass.width}, gpu));
  if (fused >= answer.p50) return;
  // That none of it stays, or twice as much, as with dynamic scales.
  answer.p50 = fused;
  answer.p10 = answer.physical_bound;
  answer.p90 = 2 * fused;
  answer.in_step = true;
}

}  // namespace warploom
