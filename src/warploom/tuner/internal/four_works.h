// The mapping of tile_mapping.h for four configurations side by side.
#pragma once

#include "warploom/tuner/four_floats.h"
#include "warploom/tuner/tile_mapping.h"

namespace warploom {

// TileWork, four side by side.
struct FourWorks {
  FourFloats waves, iterations, first_touch, cold, read_mb, write_mb, hot_us, crossing;
};
static_assert(sizeof(FourWorks) == 4 * sizeof(TileWork));

// The floats of ConfigConstants, four side by side.
struct FourConstants {
  FourFloats tile_m, tile_n, tile_k, split_k, row_bytes, per_m, per_n, per_k, crossing[kAlignments];
};
static_assert(offsetof(ConfigConstants, per_m) == sizeof(FourConstants) / 4);

namespace detail {

[[gnu::always_inline]] inline FourFloats lesser(FourFloats a, FourFloats b) { return a < b ? a : b; }
[[gnu::always_inline]] inline FourFloats greater(FourFloats a, FourFloats b) { return a < b ? b : a; }

// tiles_of with single precision: exact for counts below 2^21.
[[gnu::always_inline]] inline FourFloats four_tiles(FourFloats count, FourFloats tile, FourFloats per_tile) {
  return truncated((count + (tile - 0.5F)) * per_tile);
}

}  // namespace detail

// Whether four_works serves the kernel: loops over keys and split K have a mapping of their own.
inline bool has_four_works(const TileKernel& kernel) { return !reads_keys(kernel.kind); }

// As map_gemm and map_grouped_gemm. No configuration may split K, and no expert's rows differ.
[[gnu::always_inline]] inline FourWorks four_works(const MappingConstants& constants, const ShapeTerms& terms,
                                                   const FourConstants& config) {
  const FourFloats zero{}, one = zero + 1.0F;
  const bool grouped = constants.kernel.kind == TileKernelKind::GroupedGemm;
  const float m = grouped ? static_cast<float>(terms.rows_each) : terms.m_f;
  const FourFloats rows = detail::four_tiles(zero + m, config.tile_m, config.per_m);
  const FourFloats columns = detail::four_tiles(zero + terms.n_f, config.tile_n, config.per_n);
  FourFloats tiles = rows * columns * constants.batch;
  if (grouped) {
    const FourFloats least = detail::four_tiles(zero + (m - 1), config.tile_m, config.per_m);
    tiles = (terms.hit_experts * rows - terms.fewer_experts * (rows - least)) * columns;
  }
  FourWorks work;
  work.iterations = detail::four_tiles(zero + static_cast<float>(terms.k), config.tile_k, config.per_k);
  work.waves = tiles * constants.per_sm;
  work.crossing = config.crossing[terms.alignment];
  const FourFloats staged =
      constants.operand_bytes * (config.tile_m + config.tile_n) * config.tile_k * work.iterations * tiles;
  FourFloats unique = zero + terms.unique;
  if (!grouped && terms.panel_again > 0) {
    const float groups_of = constants.group_rows;
    const FourFloats groups =
        detail::four_tiles(rows, zero + groups_of, zero + static_cast<float>(constants.per_group));
    unique = unique + constants.batch * (groups - 1.0F) * terms.panel_again;
  }
  work.cold = zero + terms.cold;
  work.first_touch = detail::lesser(one, unique / staged) * terms.cold;
  work.read_mb = unique * terms.cold * 1e-6F;
  work.write_mb = zero + terms.output * terms.cold * 1e-6F;
  work.hot_us = zero;
  const auto repeated = config.tile_m > terms.m_f;
  if (!grouped && (repeated[0] | repeated[1] | repeated[2] | repeated[3]) != 0) {
    const FourFloats merged =
        detail::greater(one, detail::lesser(512.0F / config.row_bytes, config.tile_m / terms.m_f));
    const FourFloats lines = detail::lesser(zero + static_cast<float>(kL2Slices),
                                            detail::greater(one, terms.m_f * config.row_bytes / 128.0F));
    const FourFloats hot = static_cast<float>(1 / kSliceBytesPerUs) * tiles * (work.iterations + kTogether) *
                           config.row_bytes * (config.tile_m / merged) / lines;
    work.hot_us = repeated ? hot : zero;
  }
  return work;
}

}  // namespace warploom
