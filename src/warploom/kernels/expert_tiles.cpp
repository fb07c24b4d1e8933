#include "warploom/kernels/expert_tiles.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

// vLLM's configs/E=8,N=14336,device_name=NVIDIA_H200.json and E=128,N=768.
constexpr double kTileRows = 128, kTileColumns = 256, kTileDepth = 64;
constexpr std::size_t kTileBlock = 4;  // of 128 rows, in kRowBlocks
constexpr double kLeastRows = 64;      // of an expert, on the mean

// The two products of Qwen3-30B-A3B's layer at 1,024 tokens on an H200, 219.4 and 135.6 us (the medians of 48
// in its timeline): 6 waves of 32 steps and 8 of 12. A step takes 0.981 us, 57 % of the matrix units' rate;
// the start and end of a tile as long as 5.3 steps.
constexpr double kStepRate = 0.570;
constexpr double kStepsOfEnds = 5.3;
// What stands before, between and after them: ends and share of the memory's rate are those of the experts
// that stream (in_step.cpp).
constexpr Seconds kEnds = microseconds(14);
constexpr double kShare = 0.858;

// Waves of a product's tiles, in steps of one.
double steps_of(double row_tiles, double columns, double depth, const GpuSpec& gpu) {
  const double waves = std::ceil(row_tiles * std::ceil(columns / kTileColumns) / double(gpu.sm_count));
  return waves * (std::ceil(depth / kTileDepth) + kStepsOfEnds);
}

}  // namespace

std::optional<Seconds> whole_expert_tiles(const FusedMoe& op, const GpuSpec& gpu, Seconds streamed_weights) {
  if (op.scheme != MatmulScheme::Bf16 || op.pass != MoePass::Both) return std::nullopt;
  const double mean_rows =
      double(op.tokens) * double(op.top_k) / double(op.experts);  // of all ranks, as the engine looks it up
  if (mean_rows < kLeastRows) return std::nullopt;
  const double row_tiles = routing_load(op).row_tiles[kTileBlock];
  const double width = std::ceil(double(op.intermediate) / double(op.tensor_parallel));
  const double steps = steps_of(row_tiles, width * (op.gated ? 2 : 1), double(op.hidden), gpu) +
                       steps_of(row_tiles, double(op.hidden), width, gpu);
  const Flop step(2 * kTileRows * kTileColumns * kTileDepth * double(gpu.sm_count));
  const Seconds products = steps * (step / (kStepRate * gpu.tensor_rate(gpu.tensor_rates.fp16)));
  const Work work = work_of(op);
  const Bytes around = work.scratch_bytes + work.output_bytes;
  return std::max(products + kEnds, streamed_weights) + around / (kShare * gpu.memory_bandwidth);
}

}  // namespace warploom
