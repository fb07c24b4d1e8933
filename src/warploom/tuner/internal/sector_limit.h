// What loads take where rows of an operand start between two sectors.
#pragma once

#include <cmath>

#include "warploom/tuner/internal/candidate_errors.h"
#include "warploom/tuner/tile_kernel.h"

namespace warploom {

// Only operands of a byte have rows that allow wide loads and start between two sectors of 32 bytes: each row
// of a tile's step then touches a sector more, and one of 128 bytes always two lines. Loads reach half of
// what rows on whole lines do there, whatever the configuration.
inline bool between_sectors(const TileKernel& kernel, const TileShape& shape) {
  const bool loads_rows = kernel.kind == TileKernelKind::Gemm || kernel.kind == TileKernelKind::GroupedGemm;
  return loads_rows && kernel.operand_bytes == 1 && shape.k % 32 == 16;
}

// us of a configuration there, that is estimated to take `us` without it.
inline double limited_us(const TileGpu& gpu, const TileShape& shape, const TileConfig& config, double us) {
  const SectorLimit& limit = candidate_errors().between_sectors;
  const double tiles =
      std::ceil(double(shape.m) / config.tile_m) * std::ceil(double(shape.n) / config.tile_n);
  const double rows = tiles * std::ceil(double(shape.k) / config.tile_k) * (config.tile_m + config.tile_n);
  const double loads = rows * (limit.row_us + limit.byte_us * config.tile_k) / double(gpu.sms);
  return us * std::pow(1 + std::pow(loads / us, limit.sharpness), 1 / limit.sharpness);
}

}  // namespace warploom
