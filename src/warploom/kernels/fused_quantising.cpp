#include "warploom/kernels/fused_quantising.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

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

}  // namespace

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

void fuse_quantising(const Gemm& product, const GpuSpec& gpu, Seconds pass, LatencyEstimate& answer) {
  const Seconds fused = fused_quantising(product, gpu), bound = answer.physical_bound;
  const Seconds held = std::max(pass, kPassesInRow * pass - kLaunchedEarly);
  const Seconds time = std::max(bound, answer.p50 - held + fused);
  const double ratio = time / answer.p50;
  // That none of it stays, or twice as much: more than 80 % of the steps that it was fitted on lie inside.
  const double below = std::hypot(((answer.p50 - answer.p10) * ratio).value(), fused.value());
  const double above = std::hypot(((answer.p90 - answer.p50) * ratio).value(), fused.value());
  answer.p50 = time;
  answer.p10 = std::max(time - Seconds(below), bound);
  answer.p90 = time + Seconds(above);
  answer.in_step = true;
}

}  // namespace warploom
