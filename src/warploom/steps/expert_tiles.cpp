#include "warploom/steps/expert_tiles.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

// Waves of a product's tiles, in steps of one.
double steps_of(const ExpertTileConstants& tile, double row_tiles, double columns, double depth,
                const GpuSpec& gpu) {
  const double waves = std::ceil(row_tiles * std::ceil(columns / tile.columns) / double(gpu.sm_count));
  return waves * (std::ceil(depth / tile.depth) + tile.steps_of_ends);
}

// Tiles over all experts; nothing where the load does not count tiles of so many rows.
std::optional<double> row_tiles_of(const ExpertTileConstants& tile, const FusedMoe& op) {
  const auto block = std::find(kRowBlocks.begin(), kRowBlocks.end(), std::int64_t(tile.rows));
  if (block == kRowBlocks.end()) return std::nullopt;
  return routing_load(op).row_tiles[std::size_t(block - kRowBlocks.begin())];
}

}  // namespace

std::optional<Seconds> whole_expert_tiles(const ExpertTileConstants& tile, const ExpertConstants& around,
                                          const FusedMoe& op, const GpuSpec& gpu, Seconds streamed_weights) {
  if (op.scheme != MatmulScheme::Bf16 || op.pass != MoePass::Both) return std::nullopt;
  const double mean_rows =
      double(op.tokens) * double(op.top_k) / double(op.experts);  // of all ranks, as the engine looks it up
  if (mean_rows < tile.least_rows) return std::nullopt;
  const std::optional<double> row_tiles = row_tiles_of(tile, op);
  if (!row_tiles) return std::nullopt;
  const double width = std::ceil(double(op.intermediate) / double(op.tensor_parallel));
  const double steps = steps_of(tile, *row_tiles, width * (op.gated ? 2 : 1), double(op.hidden), gpu) +
                       steps_of(tile, *row_tiles, double(op.hidden), width, gpu);
  const Flop step(2 * tile.rows * tile.columns * tile.depth * double(gpu.sm_count));
  const Seconds products = steps * (step / (tile.step_rate * gpu.tensor_rate(gpu.tensor_rates.fp16)));
  const Work work = work_of(op);
  const Bytes bytes = work.scratch_bytes + work.output_bytes;
  return std::max(products + around.ends, streamed_weights) + bytes / (around.share * gpu.memory_bandwidth);
}

}  // namespace warploom
