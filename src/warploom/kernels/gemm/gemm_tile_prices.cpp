// The tiles themselves, and their prices four at a time, in vectors that every processor has.
#include "warploom/kernels/gemm/gemm_tile_prices.h"

#include "warploom/kernels/gemm/gemm_tile_units.h"

namespace warploom {
namespace {

constexpr std::array<std::int64_t, 9> kRows{16, 32, 48, 64, 96, 128, 160, 192, 256};
constexpr std::array<std::int64_t, 3> kColumns{64, 128, 256};
// Tiles of kernels that fit the tile's width to the number of SMs (DeepGEMM).
constexpr std::array<std::int64_t, 3> kNarrowRows{64, 128, 256};
constexpr std::array<std::int64_t, 7> kNarrowColumns{16, 32, 48, 96, 112, 160, 192};

constexpr auto kTiles = [] {
  std::array<GemmTileShape, kMostGemmTiles> tiles{};
  std::size_t i = 0;
  for (const auto rows : kRows)
    for (const auto columns : kColumns) tiles[i++] = {rows, columns};
  for (const auto rows : kNarrowRows)
    for (const auto columns : kNarrowColumns) tiles[i++] = {rows, columns};
  return tiles;
}();
static_assert(kRows.size() * kColumns.size() == kSharedGemmTiles);

constexpr auto kReciprocals = [] {
  gemm_tiles::GemmTileReciprocals reciprocals;
  for (std::size_t i = 0; i < kMostGemmTiles; ++i) {
    reciprocals.per_row[i] = 1.0F / float(kTiles[i].rows);
    reciprocals.per_column[i] = 1.0F / float(kTiles[i].columns);
  }
  return reciprocals;
}();

}  // namespace

namespace gemm_tiles {
namespace {
#define WARPLOOM_LANES 4
#define WARPLOOM_TARGET
#include "warploom/kernels/gemm/gemm_tile_lanes.inc"
}  // namespace

void price_plain(const GemmTileTerms& terms, const GemmTileReciprocals& reciprocals, double m, double n,
                 double k, double batch, GemmTilePrices& prices) {
  price_lanes(terms, reciprocals, m, n, k, batch, prices);
}

}  // namespace gemm_tiles

GemmTileShape gemm_tile_shape(std::size_t index) { return kTiles[index]; }

void price_gemm_tiles(const GemmTileTerms& terms, double m, double n, double k, double batch,
                      GemmTilePrices& prices, VectorUnit unit) {
  constexpr VectorVersions kVersions{gemm_tiles::price_plain, gemm_tiles::price_avx2,
                                     gemm_tiles::price_avx512};
  kVersions.on(unit)(terms, kReciprocals, m, n, k, batch, prices);
}

}  // namespace warploom
