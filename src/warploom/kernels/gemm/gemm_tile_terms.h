// What pricing the tilings of a product takes and gives: one entry for each tiling, side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warploom {

// Tiles that every model prices, then narrow ones that only some kernels offer.
inline constexpr std::size_t kSharedGemmTiles = 27, kMostGemmTiles = 48;
struct GemmTileShape {
  std::int64_t rows, columns;
};
// Index of a shared tile: rows of 16, 32, 48, 64, 96, 128, 160, 192, 256; columns of 64, 128, 256.
constexpr std::size_t shared_gemm_tile(std::size_t row, std::size_t column) { return 3 * row + column; }

// Aligned to the widest vectors: a load across two cache lines costs as much as two.
struct alignas(64) GemmTileValues : std::array<float, kMostGemmTiles> {};

// One scheme on one GPU. Entries beyond `tiles` are priced with the rest: they must hold numbers, and
// `offered` infinity.
struct GemmTileTerms {
  std::size_t tiles = kSharedGemmTiles;
  GemmTileValues step_seconds, busy_seconds;  // of one step in a whole wave; at the sustained clock
  GemmTileValues fixed_seconds;               // of a wave
  GemmTileValues blocks;                      // SMs that share a tile
  GemmTileValues offered;                     // 0, or infinity where the kernels have no such tile
  float depth = 64;                           // of a step, in inner length
  float tail = 0, shown = 1, sms = 1;
  bool may_split = true;
  double split_seconds = 0, l2_rate = 1;  // s; bytes/s at which partial sums pass
};

// The least over the tilings offered, and each by itself.
struct GemmTilePrices {
  double tile_seconds = 0;
  std::size_t tile = 0;
  int splits = 1;
  double waves = 0;             // of that tiling, not rounded
  GemmTileValues by_tile{};     // seconds, best split; shared tiles always
  GemmTileValues wave_count{};  // not rounded
};

}  // namespace warploom
