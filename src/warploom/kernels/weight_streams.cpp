#include "warploom/kernels/weight_streams.h"

#include <algorithm>
#include <variant>

#include "warploom/kernels/work.h"

namespace warploom {
namespace {

// A kernel that reads weights: its start and end, and the share of the memory's rate between them.
struct WeightStream {
  Seconds ends;
  double share;
};

// Of cuBLAS: Llama-3.1-8B in bf16, five products of 34 MB to 1.05 GB at 1 to 128 rows, a second kernel that adds
// split sums included. More rows take longer by one part in so many.
constexpr WeightStream kProducts{microseconds(5), 0.927};
constexpr double kRowsThatDouble = 800;
// Beyond these rows arithmetic sets the pace. vLLM's fp8 products have tiles of their own up to 16 rows.
constexpr std::int64_t kMostRows = 128, kMostFp8Rows = 16;

// Of Triton's fused_moe with what stands around it (alignment, activation, sum): Qwen3-30B-A3B in bf16, 1 to 64
// tokens with uniform routing, 8 to 126 experts of 9.4 MB.
constexpr WeightStream kExperts{microseconds(14), 0.858};
// What a measured row holds beyond that: the start of a replay and the gaps of eight kernels. The median over
// 24 steps of Qwen3-30B-A3B, 1 to 2,048 tokens.
constexpr Seconds kReplay = microseconds(17);

Seconds streamed(const WeightStream& stream, Bytes weights, const GpuSpec& gpu) {
  return stream.ends + weights / (stream.share * gpu.memory_bandwidth);
}

bool is_fp8(MatmulScheme scheme) {
  return scheme == MatmulScheme::Fp8 || scheme == MatmulScheme::Fp8Static;
}

// Nothing shorter: the answer itself.
Seconds time_in_step(const Gemm& op, const GpuSpec& gpu, Seconds quantising, Seconds measured) {
  const bool fp8 = is_fp8(op.scheme);
  if (!fp8 && op.scheme != MatmulScheme::Bf16) return measured;
  if (op.batch != 1 || op.m > (fp8 ? kMostFp8Rows : kMostRows)) return measured;
  const double rows = 1 + double(op.m) / kRowsThatDouble;
  return quantising + rows * streamed(kProducts, work_of(op).weight_bytes, gpu);
}

Seconds time_in_step(const FusedMoe& op, const GpuSpec& gpu, Seconds measured) {
  if (op.scheme != MatmulScheme::Bf16 || op.pass != MoePass::Both) return measured;
  return std::max(streamed(kExperts, work_of(op).weight_bytes, gpu), measured - kReplay);
}

}  // namespace

bool stream_weights(const Operator& op, const GpuSpec& gpu, Seconds quantising, LatencyEstimate& answer) {
  Seconds shorter = answer.p50;
  if (const auto* product = std::get_if<Gemm>(&op))
    shorter = time_in_step(*product, gpu, quantising, answer.p50);
  else if (const auto* experts = std::get_if<FusedMoe>(&op))
    shorter = time_in_step(*experts, gpu, answer.p50);
  shorter = std::max(shorter, answer.physical_bound);
  if (shorter >= answer.p50) return false;
  const double ratio = shorter / answer.p50;
  answer.p50 = shorter;
  answer.p10 = std::max(answer.p10 * ratio, answer.physical_bound);
  answer.p90 = answer.p90 * ratio;
  return true;
}

}  // namespace warploom
