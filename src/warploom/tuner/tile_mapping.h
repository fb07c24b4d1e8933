// The inlined core of tile_work: constants worked out once per kernel and per configuration, so that one
// mapping costs a few nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "warploom/tuner/tile_kernel.h"

namespace warploom {

// Operands that take less than this share of L2 over one rotation are still there at the next launch; above
// twice the share none is. Hopper's L2 holds one copy of a line on each side. Source: H200 anchors.
inline constexpr double kWarmShare = 0.412;
// A column panel beyond this share of L2 is read again by every group of tile rows.
inline constexpr double kPanelShare = 0.572;
// L2 slices that can serve different lines at once, and bytes that one slice gives in a microsecond.
inline constexpr double kL2Slices = 96;
inline constexpr double kSliceBytesPerUs = 0.2e6;
// Tiles start together and drift apart: lines are hot as if the loop had this many more steps. Source of
// both: H200, anchors with fewer rows than a tile.
inline constexpr float kTogether = 8;

// One of 128, 64, 32 or fewer bytes: the largest power of two that divides a row.
inline int alignment_class(std::int64_t row_bytes) {
  if (row_bytes % 128 == 0) return 0;
  if (row_bytes % 64 == 0) return 1;
  return row_bytes % 32 == 0 ? 2 : 3;
}

inline constexpr int kAlignments = 4;

// What a table keeps cells apart by, beside the size of a shape: rows of K that allow wide loads (below 32
// aligned bytes compilers give them up) and rows of the output that allow wide stores. Rows of attention are
// whole heads.
inline constexpr int kWideRows = 0, kNarrowLoads = 1, kNarrowStores = 2, kRowClasses = 3;
inline int row_classes_of(TileKernelKind kind) { return kind == TileKernelKind::Attention ? 1 : kRowClasses; }
inline int row_class_of(const TileKernel& kernel, const TileShape& shape) {
  if (kernel.kind == TileKernelKind::Attention) return kWideRows;
  if (shape.k * kernel.operand_bytes % 32 != 0) return kNarrowLoads;
  return shape.n * kernel.output_bytes % 32 == 0 ? kWideRows : kNarrowStores;
}

// How much longer L2 takes to serve a row piece of one loop step that starts between 128-byte lines. Source:
// H200 anchors, the same tiles at K, K - 16 and K - 32.
inline float crossing_share(float row_bytes, int alignment) {
  if (alignment == 0) return 0;
  const int row = row_bytes <= 64 ? 0 : row_bytes <= 128 ? 1 : 2;
  static constexpr float kHalf[3] = {0, 0.1F, 0.14F}, kLess[3] = {0.24F, 0.2F, 0.24F};
  return alignment == 1 ? kHalf[row] : kLess[row];
}

struct MappingConstants {
  MappingConstants(const TileKernel& tile_kernel, const TileGpu& gpu)
      : kernel(tile_kernel),
        per_sm(1.0F / static_cast<float>(gpu.sms)),
        warm_bytes(static_cast<float>(kWarmShare * static_cast<double>(gpu.l2_bytes) /
                                      static_cast<double>(tile_kernel.rotation))),
        panel_bytes(static_cast<float>(kPanelShare * static_cast<double>(gpu.l2_bytes))) {}
  TileKernel kernel;
  float per_sm, warm_bytes, panel_bytes;
};

struct ConfigConstants {
  ConfigConstants() = default;
  ConfigConstants(const TileKernel& kernel, const TileConfig& config)
      : tile_m(static_cast<float>(config.tile_m)),
        tile_n(static_cast<float>(config.tile_n)),
        tile_k(static_cast<float>(config.tile_k)),
        split_k(static_cast<float>(config.split_k)),
        row_bytes(static_cast<float>(config.tile_k * kernel.operand_bytes)),
        per_m(1.0 / config.tile_m),
        per_n(1.0 / config.tile_n),
        per_k(1.0 / config.tile_k) {
    for (int i = 0; i < kAlignments; ++i) crossing[i] = crossing_share(row_bytes, i);
  }
  float tile_m = 1, tile_n = 1, tile_k = 1, split_k = 1;
  float row_bytes = 1;
  double per_m = 1, per_n = 1, per_k = 1;  // reciprocals of the tile sizes
  float crossing[kAlignments] = {0, 0, 0, 0};
};

namespace detail {

// ceil(count / tile) for positive whole numbers below 2^31; per_tile is 1 / tile.
inline float tiles_of(double count, float tile, double per_tile) {
  return static_cast<float>(static_cast<std::int64_t>((count + static_cast<double>(tile) - 0.5) * per_tile));
}
inline float unit_clamp(float value) { return std::min(1.0F, std::max(0.0F, value)); }

// What tiles of A[rows, k] and B[n, k] need; `unique` and `output` in bytes.
inline void fill_traffic(TileWork& work, const MappingConstants& constants, float unique, float staged,
                         float output, float again) {
  const float one = unique + output;
  work.cold = unit_clamp(one / constants.warm_bytes - 1.0F);
  work.first_touch = std::min(1.0F, (unique + again) / staged) * work.cold;
  work.read_mb = (unique + again) * work.cold * 1e-6F;
  work.write_mb = output * work.cold * 1e-6F;
}

}  // namespace detail

inline TileWork map_gemm(const MappingConstants& constants, const TileShape& shape,
                         const ConfigConstants& config, int alignment) {
  const TileKernel& kernel = constants.kernel;
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const float batch = static_cast<float>(kernel.batch), bytes = static_cast<float>(kernel.operand_bytes);
  const float rows = detail::tiles_of(m, config.tile_m, config.per_m),
              columns = detail::tiles_of(n, config.tile_n, config.per_n);
  const float tiles = rows * columns * batch * config.split_k;
  TileWork work;
  work.iterations = detail::tiles_of(k, config.tile_k, config.per_k);
  if (config.split_k > 1)
    work.iterations = detail::tiles_of(double(work.iterations), config.split_k, 1.0 / double(config.split_k));
  work.waves = tiles * constants.per_sm;
  work.crossing = config.crossing[alignment];
  const float m_f = static_cast<float>(m), n_f = static_cast<float>(n), k_f = static_cast<float>(k);
  const float panel = bytes * n_f * k_f;
  const float unique = batch * (bytes * m_f * k_f + panel);
  const float staged = bytes * (config.tile_m + config.tile_n) * config.tile_k * work.iterations * tiles;
  // Every split writes and reads partial sums of four bytes.
  const float partial = config.split_k > 1 ? 8.0F * config.split_k : 0.0F;
  const float output = batch * m_f * n_f * (static_cast<float>(kernel.output_bytes) + partial);
  float again = 0;
  if (2 * panel > constants.panel_bytes) {
    const float group = static_cast<float>(kernel.group_rows);
    const float groups = detail::tiles_of(static_cast<double>(rows), group, 1.0 / static_cast<double>(group));
    again = batch * (groups - 1) * panel * detail::unit_clamp(panel / constants.panel_bytes - 0.5F);
  }
  detail::fill_traffic(work, constants, unique, staged, output, again);
  if (m_f < config.tile_m) {
    // Rows beyond m repeat the first ones: every tile then asks the same few lines. Repeats within one
    // 512-byte load of a warp are merged.
    const float merged = std::max(1.0F, std::min(512.0F / config.row_bytes, config.tile_m / m_f));
    const float lines = std::min(static_cast<float>(kL2Slices), std::max(1.0F, m_f * config.row_bytes / 128));
    work.hot_us = static_cast<float>(1 / kSliceBytesPerUs) * tiles * (work.iterations + kTogether) *
                  config.row_bytes * (config.tile_m / merged) / lines;
  }
  return work;
}

// Pairs spread evenly over the experts that they reach.
inline TileWork map_grouped_gemm(const MappingConstants& constants, const TileShape& shape,
                                 const ConfigConstants& config, int alignment) {
  const TileKernel& kernel = constants.kernel;
  const std::int64_t hit = std::min(kernel.experts, shape.m);
  const double rows_each = static_cast<double>((shape.m + hit - 1) / hit);
  const float hit_f = static_cast<float>(hit), bytes = static_cast<float>(kernel.operand_bytes);
  const float columns = detail::tiles_of(static_cast<double>(shape.n), config.tile_n, config.per_n);
  const float tiles = hit_f * detail::tiles_of(rows_each, config.tile_m, config.per_m) * columns;
  TileWork work;
  work.iterations = detail::tiles_of(static_cast<double>(shape.k), config.tile_k, config.per_k);
  work.waves = tiles * constants.per_sm;
  work.crossing = config.crossing[alignment];
  const float m_f = static_cast<float>(shape.m), n_f = static_cast<float>(shape.n);
  const float k_f = static_cast<float>(shape.k);
  const float tokens = std::max(1.0F, m_f / static_cast<float>(kernel.top_k));
  const float unique = bytes * k_f * (tokens + hit_f * n_f);
  const float staged = bytes * (config.tile_m + config.tile_n) * config.tile_k * work.iterations * tiles;
  const float output = m_f * n_f * static_cast<float>(kernel.output_bytes);
  detail::fill_traffic(work, constants, unique, staged, output, 0);
  return work;
}

inline TileWork map_attention(const MappingConstants& constants, const TileShape& shape,
                              const ConfigConstants& config, int) {
  const TileKernel& kernel = constants.kernel;
  const float head = static_cast<float>(kernel.head_dim), bytes = static_cast<float>(kernel.operand_bytes);
  const float rows = detail::tiles_of(static_cast<double>(shape.m), config.tile_m, config.per_m);
  const float heads = static_cast<float>(shape.k), n_f = static_cast<float>(shape.n);
  const float longest = detail::tiles_of(static_cast<double>(shape.n), config.tile_n, config.per_n);
  TileWork work;
  work.waves = rows * heads * constants.per_sm;
  work.iterations = longest;
  if (kernel.causal && shape.n >= shape.m) {
    // Row tile i sees n - m + (i + 1) tile_m keys. In one wave the longest tile decides, in many the mean.
    const float m_f = static_cast<float>(shape.m);
    const float mean_keys = n_f - m_f + 0.5F * (m_f + std::min(m_f, config.tile_m));
    const float mean = std::min(longest, mean_keys / config.tile_n + 0.5F);
    work.iterations = mean + (longest - mean) / std::max(1.0F, work.waves);
  }
  const float groups = static_cast<float>(kernel.head_group);
  const float query_bytes = static_cast<float>(shape.m) * head * heads;
  const float unique = bytes * (query_bytes + 2 * n_f * head * heads / groups);
  const float staged = bytes * head * rows * heads * (config.tile_m + 2 * config.tile_n * work.iterations);
  detail::fill_traffic(work, constants, unique, std::max(staged, unique),
                       query_bytes * static_cast<float>(kernel.output_bytes), 0);
  return work;
}

inline TileWork map_tile(const MappingConstants& constants, const TileShape& shape,
                         const ConfigConstants& config) {
  const int alignment = alignment_class(shape.k * constants.kernel.operand_bytes);
  switch (constants.kernel.kind) {
    case TileKernelKind::GroupedGemm:
      return map_grouped_gemm(constants, shape, config, alignment);
    case TileKernelKind::Attention:
      return map_attention(constants, shape, config, alignment);
    default:
      return map_gemm(constants, shape, config, alignment);
  }
}

}  // namespace warploom
