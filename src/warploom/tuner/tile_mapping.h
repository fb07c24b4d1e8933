// How a shape and a configuration become the coordinates of the wave model. The core is inlined, with
// constants worked out once per kernel and per configuration, so that one mapping costs a few nanoseconds.
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

// What a table keeps cells apart by, beside the size of a shape: how rows of K lie in lines, whether they
// allow wide loads (Triton knows of a size that it is a multiple of 16, or nothing), and whether rows of the
// output allow wide stores. Lines are counted in 64 elements, which are 128 bytes of bf16. Rows of attention
// are whole heads.
inline constexpr int kWholeLines = 0, kHalfLines = 1, kQuarterLines = 2, kNarrowLoads = 3, kNarrowStores = 4,
                     kRowClasses = 5;
inline int row_classes_of(TileKernelKind kind) { return kind == TileKernelKind::Attention ? 1 : kRowClasses; }
inline int row_class_of(const TileKernel& kernel, const TileShape& shape) {
  if (kernel.kind == TileKernelKind::Attention) return kWholeLines;
  if (kernel.b_along_n && shape.n % 16 != 0) return kNarrowLoads;
  const int alignment = alignment_class(2 * shape.k);
  return alignment != kNarrowLoads && shape.n * kernel.output_bytes % 32 != 0 ? kNarrowStores : alignment;
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
        panel_bytes(static_cast<float>(kPanelShare * static_cast<double>(gpu.l2_bytes))),
        batch(static_cast<float>(tile_kernel.batch)),
        operand_bytes(static_cast<float>(tile_kernel.operand_bytes)),
        output_bytes(static_cast<float>(tile_kernel.output_bytes)),
        group_rows(static_cast<float>(tile_kernel.group_rows)),
        per_group(1.0 / static_cast<double>(group_rows)) {}
  TileKernel kernel;
  float per_sm, warm_bytes, panel_bytes;
  float batch, operand_bytes, output_bytes, group_rows;
  double per_group;
};

struct ConfigConstants {
  ConfigConstants() = default;
  ConfigConstants(const TileKernel& kernel, const TileConfig& config)
      : tile_m(static_cast<float>(config.tile_m)),
        tile_n(static_cast<float>(config.tile_n)),
        tile_k(static_cast<float>(config.tile_k)),
        split_k(static_cast<float>(config.split_k)),
        row_bytes(static_cast<float>(config.tile_k * kernel.operand_bytes)),
        per_m_f(1.0F / static_cast<float>(config.tile_m)),
        per_n_f(1.0F / static_cast<float>(config.tile_n)),
        per_k_f(1.0F / static_cast<float>(config.tile_k)),
        per_m(1.0 / config.tile_m),
        per_n(1.0 / config.tile_n),
        per_k(1.0 / config.tile_k) {
    for (int i = 0; i < kAlignments; ++i) crossing[i] = crossing_share(row_bytes, i);
  }
  // Three groups of four, which a look-up transposes.
  float tile_m = 1, tile_n = 1, tile_k = 1, split_k = 1;
  float row_bytes = 1, per_m_f = 1, per_n_f = 1, per_k_f = 1;
  float crossing[kAlignments] = {0, 0, 0, 0};
  double per_m = 1, per_n = 1, per_k = 1;  // reciprocals of the tile sizes
};

namespace detail {

// ceil(count / tile) for positive whole numbers below 2^31; per_tile is 1 / tile.
inline float tiles_of(double count, float tile, double per_tile) {
  return static_cast<float>(static_cast<std::int64_t>((count + static_cast<double>(tile) - 0.5) * per_tile));
}
inline float unit_clamp(float value) { return std::min(1.0F, std::max(0.0F, value)); }

}  // namespace detail

// What all configurations have in common at one shape, so that a look-up works it out once. Bytes.
struct ShapeTerms {
  ShapeTerms(const MappingConstants& constants, const TileShape& at) : shape(at) {
    const TileKernel& kernel = constants.kernel;
    alignment = alignment_class(at.k * kernel.operand_bytes);
    m = static_cast<double>(at.m);
    n = static_cast<double>(at.n);
    k = static_cast<double>(at.k);
    m_f = static_cast<float>(m);
    n_f = static_cast<float>(n);
    if (kernel.kind == TileKernelKind::Attention) return;
    const float k_f = static_cast<float>(k), bytes = constants.operand_bytes;
    if (kernel.kind == TileKernelKind::GroupedGemm) {
      const std::int64_t hit = std::min(kernel.experts, at.m);
      rows_each = static_cast<double>((at.m + hit - 1) / hit);
      hit_experts = static_cast<float>(hit);
      const float tokens = std::max(1.0F, m_f / static_cast<float>(kernel.top_k));
      unique = bytes * k_f * (tokens + hit_experts * n_f);
      output = m_f * n_f * constants.output_bytes;
    } else {
      const float panel = bytes * n_f * k_f;
      unique = constants.batch * (bytes * m_f * k_f + panel);
      output = constants.batch * m_f * n_f * constants.output_bytes;
      if (2 * panel > constants.panel_bytes)
        panel_again = panel * detail::unit_clamp(panel / constants.panel_bytes - 0.5F);
    }
    cold = detail::unit_clamp((unique + output) / constants.warm_bytes - 1.0F);
  }
  TileShape shape;
  int alignment = 0;
  double m = 1, n = 1, k = 1, rows_each = 1;
  float m_f = 1, n_f = 1, hit_experts = 1;
  float unique = 0, output = 0;  // operands, and results without partial sums
  float panel_again = 0;         // of B, that each further group of tile rows reads again
  float cold = 0;                // share of a launch's operands that L2 has lost since the last
};

namespace detail {

// What tiles of A[rows, k] and B[n, k] need; bytes.
inline void fill_traffic(TileWork& work, float unique, float staged, float output, float again, float cold) {
  work.cold = cold;
  work.first_touch = std::min(1.0F, (unique + again) / staged) * cold;
  work.read_mb = (unique + again) * cold * 1e-6F;
  work.write_mb = output * cold * 1e-6F;
}

}  // namespace detail

inline TileWork map_gemm(const MappingConstants& constants, const ShapeTerms& terms,
                         const ConfigConstants& config) {
  const float rows = detail::tiles_of(terms.m, config.tile_m, config.per_m),
              columns = detail::tiles_of(terms.n, config.tile_n, config.per_n);
  const float tiles = rows * columns * constants.batch * config.split_k;
  TileWork work;
  work.iterations = detail::tiles_of(terms.k, config.tile_k, config.per_k);
  if (config.split_k > 1)
    work.iterations = detail::tiles_of(double(work.iterations), config.split_k, 1.0 / double(config.split_k));
  work.waves = tiles * constants.per_sm;
  work.crossing = config.crossing[terms.alignment];
  const float staged =
      constants.operand_bytes * (config.tile_m + config.tile_n) * config.tile_k * work.iterations * tiles;
  float again = 0;
  if (terms.panel_again > 0) {
    const float groups =
        detail::tiles_of(static_cast<double>(rows), constants.group_rows, constants.per_group);
    again = constants.batch * (groups - 1) * terms.panel_again;
  }
  float output = terms.output, cold = terms.cold;
  if (config.split_k > 1) {
    // Every split writes and reads partial sums of four bytes.
    output = constants.batch * terms.m_f * terms.n_f * (constants.output_bytes + 8.0F * config.split_k);
    cold = detail::unit_clamp((terms.unique + output) / constants.warm_bytes - 1.0F);
  }
  detail::fill_traffic(work, terms.unique, staged, output, again, cold);
  if (terms.m_f < config.tile_m) {
    // Rows beyond m repeat the first ones: every tile then asks the same few lines. Repeats within one
    // 512-byte load of a warp are merged.
    const float merged = std::max(1.0F, std::min(512.0F / config.row_bytes, config.tile_m / terms.m_f));
    const float lines =
        std::min(static_cast<float>(kL2Slices), std::max(1.0F, terms.m_f * config.row_bytes / 128));
    work.hot_us = static_cast<float>(1 / kSliceBytesPerUs) * tiles * (work.iterations + kTogether) *
                  config.row_bytes * (config.tile_m / merged) / lines;
  }
  return work;
}

// Pairs spread evenly over the experts that they reach.
inline TileWork map_grouped_gemm(const MappingConstants& constants, const ShapeTerms& terms,
                                 const ConfigConstants& config) {
  const float columns = detail::tiles_of(terms.n, config.tile_n, config.per_n);
  const float tiles =
      terms.hit_experts * detail::tiles_of(terms.rows_each, config.tile_m, config.per_m) * columns;
  TileWork work;
  work.iterations = detail::tiles_of(terms.k, config.tile_k, config.per_k);
  work.waves = tiles * constants.per_sm;
  work.crossing = config.crossing[terms.alignment];
  const float staged =
      constants.operand_bytes * (config.tile_m + config.tile_n) * config.tile_k * work.iterations * tiles;
  detail::fill_traffic(work, terms.unique, staged, terms.output, 0, terms.cold);
  return work;
}

inline TileWork map_attention(const MappingConstants& constants, const ShapeTerms& terms,
                              const ConfigConstants& config) {
  const TileKernel& kernel = constants.kernel;
  const TileShape& shape = terms.shape;
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
  const float output = query_bytes * constants.output_bytes;
  detail::fill_traffic(work, unique, std::max(staged, unique), output, 0,
                       detail::unit_clamp((unique + output) / constants.warm_bytes - 1.0F));
  return work;
}

inline TileWork map_tile(const MappingConstants& constants, const ShapeTerms& terms,
                         const ConfigConstants& config) {
  switch (constants.kernel.kind) {
    case TileKernelKind::GroupedGemm:
      return map_grouped_gemm(constants, terms, config);
    case TileKernelKind::Attention:
      return map_attention(constants, terms, config);
    default:
      return map_gemm(constants, terms, config);
  }
}

// The same, with the constants worked out for this call alone. O(1), no allocation. The shape and the
// configuration must be positive.
TileWork tile_work(const TileKernel& kernel, const TileGpu& gpu, const TileShape& shape,
                   const TileConfig& config);

}  // namespace warploom
