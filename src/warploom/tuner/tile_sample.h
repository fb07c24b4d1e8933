// Measured times of one kernel: a configuration at a shape.
//
// CSV layout (gzip allowed), columns by name: bm, bn, bk, warps, stages (split_k optional), m, n, k,
// median_us (low_us optional); others (grid, iters) are ignored. Rows with bm = 0 are a vendor library at
// that shape: kept apart.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "warploom/tuner/tile_config.h"
#include "warploom/tuner/tile_kernel.h"

namespace warploom {

struct TileSample {
  TileConfig config;
  TileShape shape;
  double median_us = 0;
};

struct TileSamples {
  std::vector<TileSample> rows;
  std::vector<TileSample> library;  // configuration all zero
};

// Reads and joins the files. Throws IoError, and InvalidInput naming file, line and column on a time that is
// not a positive finite number, a dimension outside [1, 2^31), a bad configuration, or no row at all.
TileSamples read_tile_samples(std::span<const std::filesystem::path> paths);

// Throws InvalidInput naming `where` unless every dimension lies in [1, 2^31).
void check_shape(const TileShape& shape, std::string_view where);

}  // namespace warploom
