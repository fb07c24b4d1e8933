#include <algorithm>
#include <cmath>

#include "warploom/baselines/pipeweave/published_features.h"
#include "warploom/baselines/pipeweave/published_pipes.h"

namespace warploom::published {
namespace {

double round_up(double value, double step) { return std::ceil(value / step) * step; }

void check_sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
  check_positive(m, "m");
  check_positive(n, "n");
  check_positive(k, "k");
}

}  // namespace

Features gemm(std::int64_t m, std::int64_t n, std::int64_t k, const GemmLaunch& launch, const Hardware& gpu) {
  check_sizes(m, n, k);
  check_sizes(launch.tile_m, launch.tile_n, launch.tile_k);
  check_positive(launch.blocks, "blocks");
  constexpr double kBytes = 2;
  const double tile_m = double(launch.tile_m), tile_n = double(launch.tile_n), tile_k = double(launch.tile_k);
  const double rows = round_up(double(m), tile_m), columns = round_up(double(n), tile_n);
  const double depth = round_up(double(k), tile_k);
  const double tiles = rows / tile_m * (columns / tile_n), blocks = double(launch.blocks);

  double executed = 2 * rows * columns * depth;
  double busiest_depth;  // inner length that the busiest SM runs through
  if (gpu.hopper && !launch.split_k) {
    busiest_depth = depth * std::ceil(tiles / blocks);
    executed *= std::max(1.0, blocks / tiles);
  } else {
    const double slices = std::max(1.0, std::floor(blocks / tiles));
    const double waves = gpu.hopper ? 1 : std::ceil(blocks / gpu.sms);
    busiest_depth = round_up(std::ceil(depth / slices), tile_k) * waves;
  }
  Features result;
  result.tensor = pipe(executed, 2 * tile_m * tile_n * busiest_depth, gpu.tensor_half, gpu);
  result.memory = memory(kBytes * (rows + columns) * depth, kBytes * (tile_m + tile_n) * busiest_depth, gpu);
  return result;
}

Features gemm_fp8(std::int64_t m, std::int64_t n, std::int64_t k, const Hardware& gpu) {
  check_sizes(m, n, k);
  constexpr double kTile = 128;
  const double rows = round_up(double(m), kTile), columns = round_up(double(n), kTile);
  const double depth = round_up(double(k), kTile);
  const double waves = std::ceil(rows / kTile * (columns / kTile) / gpu.sms);
  Features result;
  result.tensor = pipe(2 * rows * columns * depth, 2 * kTile * kTile * depth * waves, gpu.tensor_fp8, gpu);
  result.memory = memory((rows + columns) * depth, 2 * kTile * depth * waves, gpu);
  return result;
}

}  // namespace warploom::published
