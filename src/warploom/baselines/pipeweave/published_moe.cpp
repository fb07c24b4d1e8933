// The Triton kernel of fused mixtures of experts: one of its two grouped products.
#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/baselines/pipeweave/published_features.h"
#include "warploom/baselines/pipeweave/published_pipes.h"

namespace warploom::published {
namespace {

// GPUs differ by the shared memory of an SM: that of consumer parts, of A100, more.
constexpr double kSmallSharedKib = 100, kMiddleSharedKib = 164;
constexpr double kMoeBytes = 2;  // of an element

}  // namespace

MoeTile moe_tile(std::int64_t tokens, std::int64_t experts, std::int64_t hidden, const Hardware& gpu) {
  const bool small = gpu.shared_kib <= kSmallSharedKib;
  const bool middle = !small && gpu.shared_kib <= kMiddleSharedKib;
  MoeTile tile;
  tile.rows = tokens <= 128                                        ? 16
              : tokens <= 256                                      ? 32
              : tokens <= 512                                      ? 64
              : middle || (small && tokens > 2048 && experts < 64) ? 64
                                                                   : 128;
  tile.columns = !small ? 128 : hidden <= 1536 && tokens <= 128 ? 16 : 64;
  tile.depth = tokens > 256 ? 64 : small ? 256 : 128;
  return tile;
}

Features moe_pass(const MoePassShape& shape, const Hardware& gpu) {
  check_positive(shape.tokens, "tokens");
  check_positive(shape.experts, "experts");
  check_positive(shape.top_k, "top_k");
  check_positive(shape.width, "width");
  check_positive(shape.depth, "depth");
  const MoeTile tile = moe_tile(shape.tokens, shape.experts, shape.hidden, gpu);
  // Round robin: the first experts get one row more.
  const std::int64_t pairs = shape.tokens * shape.top_k;
  const std::int64_t rows = pairs / shape.experts, more = pairs % shape.experts;
  const auto tiles_of = [&](std::int64_t count) { return (count + tile.rows - 1) / tile.rows; };
  const std::int64_t row_tiles = more * tiles_of(rows + 1) + (shape.experts - more) * tiles_of(rows);
  const double padded = double(row_tiles * tile.rows);
  const double blocks = double(row_tiles) * std::ceil(double(shape.width) / double(tile.columns));
  const double busiest = std::ceil(blocks / gpu.sms);
  const double depth = double(shape.depth);
  const double block_ops = 2 * double(tile.rows * tile.columns) * depth;
  const double block_bytes = double(tile.rows + tile.columns) * depth * kMoeBytes;
  Features result;
  result.tensor = pipe(2 * padded * double(shape.width) * depth, busiest * block_ops, gpu.tensor_half, gpu);
  result.memory = memory(blocks * block_bytes, busiest * block_bytes, gpu);
  return result;
}

}  // namespace warploom::published
