// What a library chose for products: the file `tiles.csv` of `warploom-collect --tiles`.
//
//   gpu, library           as the driver names it; the library and its version
//   sms                    that the library was told to use
//   scheme, layout         of kernels/data_type.h; tn (weights [n, k]) or nn
//   m, n, k                of Y[m, n] = X[m, k] W
//   rank                   0: what the library runs, then its next choices
//   tile_m, tile_n         rows and columns of Y in a tile; split_k parts of k (below 1: the library
//                          deals k out block by block, read as 1); a tile of 0: the library does not say,
//                          left out
//   latency_us             empty, or the measured time of this choice (weights cold, CUDA graph)
// Other columns (stages, cluster_m, cluster_n, swizzle, algorithm, custom, library_waves, kernel, grid,
// half_width) are for people.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "warploom/kernels/tile_ranking.h"

namespace warploom {

struct TileQueryKey {
  MatmulScheme scheme = MatmulScheme::Bf16;
  bool inner_first = false;  // layout nn
  std::int64_t m = 1, n = 1, k = 1;
  friend auto operator<=>(const TileQueryKey&, const TileQueryKey&) = default;

  Gemm op() const { return {.scheme = scheme, .m = m, .n = n, .k = k}; }
};

struct TileObservation {
  TileQueryKey query;
  std::int64_t sms = 0;
  int rank = 0;
  LibraryTile tile;
  std::optional<double> latency;  // seconds
};

struct TileObservations {
  std::string gpu, library;
  std::vector<TileObservation> rows;
  std::size_t left_out = 0;  // rows without a tile
};

// Throws IoError; InvalidInput naming file, line and column on a damaged row, on two GPUs in one file, and on
// a file without rows.
TileObservations read_tile_choices(const std::filesystem::path& path);

}  // namespace warploom
