#include "warploom/kernels/in_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "warploom/kernels/expert_tiles.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/rule_domain.h"
#include "warploom/kernels/widen.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

constexpr RuleDomain kFittedOn{.engine = name_of(Engine::Vllm), .release = "0.24", .gpus = {"h200_sxm"}};
// What Llama-3.1-8B's and Qwen3-30B-A3B's steps had, of products and experts.
constexpr SizeRange kRows{1, 8192}, kProductBytes{33.5e6, 1.06e9}, kExpertBytes{8 * 9.4e6, 128 * 9.5e6};

// A kernel that reads weights: its start and end, and the share of the memory's rate between them.
struct WeightStream {
  Seconds ends;
  double share;
};

// cuBLAS: Llama-3.1-8B in bf16, five products of 34 MB to 1.05 GB at 1 to 128 rows, a second kernel that
// adds split sums included. More rows take longer by one part in so many.
constexpr WeightStream kProducts{microseconds(5), 0.927};
constexpr double kRowsThatDouble = 800;
// Beyond these rows arithmetic sets the pace.
constexpr std::int64_t kMostRows = 128;
// Products of at least so many rows compute, with weights and activations cold, where the tables rotate a few
// copies: the median over prompts of Llama-3.1-8B of 256 to 8,192 tokens.
constexpr std::int64_t kComputingRows = 256;
constexpr double kComputing = 1.03;

// Triton's fused_moe with what stands around it (alignment, activation, sum): Qwen3-30B-A3B in bf16, 1 to
// 64 tokens with uniform routing, 8 to 126 experts of 9.4 MB.
constexpr WeightStream kExperts{microseconds(14), 0.858};
// What a measured row holds beyond that: the start of a replay and the gaps of eight kernels. The median over
// 24 steps of Qwen3-30B-A3B, 1 to 2,048 tokens.
constexpr Seconds kReplay = microseconds(17);
// Power that the GPU asks for, over its limit, with idle and with busy matrix units at the driver's highest
// clock. Above one the clock falls with the root of it. Rows of experts were timed in bursts too short for
// that; the experts of Qwen3-30B-A3B in prompts of 4,096, 6,144 and 8,192 tokens say 2.63, 2.61 and 2.60.
// Idle: ClockRule's.
constexpr double kIdleNeed = 0.17, kMatrixNeed = 2.61;

Seconds streamed(const WeightStream& stream, Bytes weights, const GpuSpec& gpu) {
  return stream.ends + weights / (stream.share * gpu.memory_bandwidth);
}

// Nothing else: the measured time.
Seconds time_in_step(const Gemm& op, const GpuSpec& gpu, Seconds measured) {
  if (op.scheme != MatmulScheme::Bf16 || op.batch != 1) return measured;
  if (op.m >= kComputingRows) return measured * kComputing;
  const double rows = 1 + double(op.m) / kRowsThatDouble;
  const Seconds stream = std::min(measured, rows * streamed(kProducts, work_of(op).weight_bytes, gpu));
  if (op.m <= kMostRows) return stream;
  // Between the two, evenly from the one to the other.
  const double computing = double(op.m - kMostRows) / double(kComputingRows - kMostRows);
  return (1 - computing) * stream + computing * measured * kComputing;
}

// How much longer matrix units take that are busy for a share of the time, at the clock that the power
// leaves.
double slowdown_by_power(const FusedMoe& op, const GpuSpec& gpu, Seconds time) {
  const FlopPerSecond light = gpu.tensor_rate(gpu.tensor_rates.fp16) * gpu.clock_headroom();
  const double busy = (work_of(op).matrix_flop / light) / time;
  return std::sqrt(std::max(1.0, kIdleNeed + kMatrixNeed * busy));
}

Seconds time_in_step(const FusedMoe& op, const GpuSpec& gpu, Seconds measured) {
  if (op.scheme != MatmulScheme::Bf16 || op.pass != MoePass::Both) return measured;
  const Seconds weights = streamed(kExperts, work_of(op).weight_bytes, gpu);
  Seconds time = std::min(measured, std::max(weights, measured - kReplay));
  if (const std::optional<Seconds> tiles = whole_expert_tiles(op, gpu, weights))
    time = std::min(time, *tiles);
  return time * slowdown_by_power(op, gpu, time);
}

// Whether the steps had such rows and weights.
bool has_fitted_sizes(const Operator& op) {
  const double weights = work_of(op).weight_bytes.value();
  if (const auto* product = std::get_if<Gemm>(&op))
    return widths_outside(kRows, double(product->m)) == 0 && widths_outside(kProductBytes, weights) == 0;
  const auto* experts = std::get_if<FusedMoe>(&op);
  return experts == nullptr ||
         (widths_outside(kRows, double(experts->tokens)) == 0 && widths_outside(kExpertBytes, weights) == 0);
}

}  // namespace

bool has_step_rules(const GpuSpec& gpu) { return kFittedOn.ran_on(gpu); }

bool runs_in_step(const Operator& op, std::string_view kernel) {
  if (std::holds_alternative<Gemm>(op)) return true;
  return std::holds_alternative<FusedMoe>(op) &&
         (kernel.empty() || kernel.find("triton") != std::string_view::npos);
}

void price_in_step(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                   LatencyEstimate& answer) {
  Seconds time = answer.p50;
  if (const auto* product = std::get_if<Gemm>(&op))
    time = time_in_step(*product, gpu, answer.p50);
  else if (const auto* experts = std::get_if<FusedMoe>(&op))
    time = time_in_step(*experts, gpu, answer.p50);
  time = std::max(time, answer.physical_bound);
  const double ratio = time / answer.p50;
  answer.in_step = true;
  answer.p10 = std::max(time - (answer.p50 - answer.p10) * ratio, answer.physical_bound);
  answer.p90 = time + (answer.p90 - answer.p50) * ratio;
  answer.p50 = time;
  if (ratio != 1 && !(kFittedOn.holds(gpu, context) && has_fitted_sizes(op)))
    widen(answer, std::abs(std::log(ratio)));
}

}  // namespace warploom
