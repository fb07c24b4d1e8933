// How a shape and a configuration become the coordinates of the wave model. The core is inlined, with
// constants worked out once per kernel and per configuration, so that one mapping costs a few nanoseconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "warploom/tuner/expert_rows.h"
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
// are whole heads. The last class is of narrow loads with narrow stores, whose tiles differ by up to a half
// from what either alone says: only tables with samples of such rows have its cells.
inline constexpr int kWholeLines = 0, kHalfLines = 1, kQuarterLines = 2, kNarrowLoads = 3, kNarrowStores = 4,
                     kNarrowBoth = 5, kRowClasses = 6;
inline bool has_narrow_stores(const TileKernel& kernel, const TileShape& shape) {
  return shape.n * kernel.output_bytes % 32 != 0;
}
// Classes that a table has cells of; without samples of narrow loads with narrow stores it lacks the last.
inline int row_classes_of(TileKernelKind kind, bool narrow_both = false) {
  return reads_keys(kind) ? 1 : narrow_both ? kRowClasses : kNarrowBoth;
}
// The class of a shape's rows; without `narrow_both` kNarrowLoads stands for kNarrowBoth.
inline int row_class_of(const TileKernel& kernel, const TileShape& shape, bool narrow_both = false) {
  if (reads_keys(kernel.kind)) return kWholeLines;
  const int alignment = kernel.b_along_n && shape.n % 16 != 0 ? kNarrowLoads : alignment_class(2 * shape.k);
  if (!has_narrow_stores(kernel, shape)) return alignment;
  if (alignment != kNarrowLoads) return kNarrowStores;
  return narrow_both ? kNarrowBoth : kNarrowLoads;
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
        per_group(1.0 / static_cast<double>(group_rows)) {
    if (tile_kernel.kind == TileKernelKind::GroupedGemm)
      share_ends = skewed_share_ends(tile_kernel.experts, tile_kernel.expert_skew);
  }
  TileKernel kernel;
  float per_sm, warm_bytes, panel_bytes;
  float batch, operand_bytes, output_bytes, group_rows;
  double per_group;
  std::vector<double> share_ends;  // of experts' rows; empty where all have the same
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
  // `rows_of_experts` are the rows of each expert of a grouped GEMM, whose sum is at.m; empty: as the kernel
  // says. They must outlive the terms.
  ShapeTerms(const MappingConstants& constants, const TileShape& at,
             std::span<const std::int64_t> rows_of_experts = {})
      : shape(at), expert_rows(rows_of_experts) {
    const TileKernel& kernel = constants.kernel;
    alignment = alignment_class(at.k * kernel.operand_bytes);
    m = static_cast<double>(at.m);
    n = static_cast<double>(at.n);
    k = static_cast<double>(at.k);
    m_f = static_cast<float>(m);
    n_f = static_cast<float>(n);
    if (reads_keys(kernel.kind)) return;
    const float k_f = static_cast<float>(k), bytes = constants.operand_bytes;
    if (kernel.kind == TileKernelKind::GroupedGemm) {
      const std::int64_t hit = std::min(kernel.experts, at.m);
      rows_each = static_cast<double>((at.m + hit - 1) / hit);
      fewer_experts = static_cast<float>(hit - 1 - (at.m + hit - 1) % hit);
      hit_experts = static_cast<float>(hit);
      even_experts = expert_rows.empty() && constants.share_ends.empty();
      if (!even_experts) {
        hit_experts = 0;
        visit_rows(constants, [&](double rows) { hit_experts += rows > 0 ? 1.0F : 0.0F; });
      }
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
  // Calls visit(rows) for each expert where they differ.
  template <class Visit>
  void visit_rows(const MappingConstants& constants, const Visit& visit) const {
    for (const std::int64_t rows : expert_rows) visit(rows > 0 ? static_cast<double>(rows) : 0.0);
    if (expert_rows.empty()) visit_expert_rows(constants.share_ends, m, visit);
  }
  // Tile rows of all experts together, when a tile has `tile` rows.
  double expert_tile_rows(const MappingConstants& constants, double tile, double per_tile) const {
    double sum = 0;
    visit_rows(constants, [&](double rows) {
      sum += static_cast<double>(static_cast<std::int64_t>((rows + tile - 0.5) * per_tile));
    });
    return sum;
  }
  // The same where pairs go round robin.
  float even_tile_rows(float tile, double per_tile) const {
    const float most = detail::tiles_of(rows_each, tile, per_tile);
    const float least = detail::tiles_of(rows_each - 1, tile, per_tile);
    return hit_experts * most - fewer_experts * (most - least);
  }
  TileShape shape;
  std::span<const std::int64_t> expert_rows;
  bool even_experts = true;
  int alignment = 0;
  double m = 1, n = 1, k = 1, rows_each = 1;
  float m_f = 1, n_f = 1, hit_experts = 1;
  float fewer_experts = 0;       // of those, with one row less than rows_each, where pairs go round robin
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

// Pairs spread evenly over the experts that they reach, or as the kernel's skew or the caller says.
inline TileWork map_grouped_gemm(const MappingConstants& constants, const ShapeTerms& terms,
                                 const ConfigConstants& config) {
  const float columns = detail::tiles_of(terms.n, config.tile_n, config.per_n);
  const float tile_rows =
      terms.even_experts
          ? terms.even_tile_rows(config.tile_m, config.per_m)
          : static_cast<float>(terms.expert_tile_rows(constants, double(config.tile_m), config.per_m));
  const float tiles = tile_rows * columns;
  TileWork work;
  work.iterations = detail::tiles_of(terms.k, config.tile_k, config.per_k);
  work.waves = tiles * constants.per_sm;
  work.crossing = config.crossing[terms.alignment];
  const float staged =
      constants.operand_bytes * (config.tile_m + config.tile_n) * config.tile_k * work.iterations * tiles;
  detail::fill_traffic(work, terms.unique, staged, terms.output, 0, terms.cold);
  return work;
}

// Steps over keys that rows of query tiles take: in the mean, and the row with most.
struct KeySteps {
  float mean, longest;
};

// Row tile i of causal attention sees the n - m + (i + 1) tile_m first keys, with a window the last `window`
// of each query alone: window + tile_m - 1 keys of a tile once the window has filled. Ends of rows that do
// not fall on whole key tiles add half a step in the mean.
inline KeySteps causal_steps(const TileKernel& kernel, const TileShape& shape, float tile_m, float tile_n,
                             float all_steps) {
  const float m = static_cast<float>(shape.m), n = static_cast<float>(shape.n), rows = std::min(m, tile_m);
  if (kernel.window == 0 || static_cast<float>(kernel.window) + rows - 1 >= n) {
    const float mean_keys = n - m + 0.5F * (m + rows);
    return {std::min(all_steps, mean_keys / tile_n + 0.5F), all_steps};
  }
  // Keys of a row grow from `first` to n and are cut at `most`.
  const float most = static_cast<float>(kernel.window) + rows - 1, first = n - m + rows;
  const float cut = first >= most || m <= rows ? 1.0F : (n - most) / (n - first);
  const float mean_keys = cut * most + (1 - cut) * 0.5F * (first + most);
  const float longest = std::min(all_steps, most / tile_n + 0.5F);
  return {std::min(longest, mean_keys / tile_n + 0.5F), longest};
}

// Keys that any query of a launch sees.
inline float seen_keys(const TileKernel& kernel, const TileShape& shape) {
  const float n = static_cast<float>(shape.n);
  if (kernel.window == 0) return n;
  const float queries = kernel.kind == TileKernelKind::Attention ? static_cast<float>(shape.m) : 1.0F;
  return std::min(n, queries + static_cast<float>(kernel.window) - 1);
}

inline TileWork map_attention(const MappingConstants& constants, const ShapeTerms& terms,
                              const ConfigConstants& config) {
  const TileKernel& kernel = constants.kernel;
  const TileShape& shape = terms.shape;
  const float head = static_cast<float>(kernel.head_dim), bytes = static_cast<float>(kernel.operand_bytes);
  const float rows = detail::tiles_of(static_cast<double>(shape.m), config.tile_m, config.per_m);
  const float heads = static_cast<float>(shape.k);
  const float longest = detail::tiles_of(static_cast<double>(shape.n), config.tile_n, config.per_n);
  TileWork work;
  work.waves = rows * heads * constants.per_sm;
  work.iterations = longest;
  if (kernel.causal && shape.n >= shape.m) {
    // Row tile i sees n - m + (i + 1) tile_m keys. In one wave the longest tile decides, in many the mean.
    const KeySteps steps = causal_steps(kernel, shape, config.tile_m, config.tile_n, longest);
    work.iterations = steps.mean + (steps.longest - steps.mean) / std::max(1.0F, work.waves);
  }
  const float groups = static_cast<float>(kernel.head_group);
  const float query_bytes = static_cast<float>(shape.m) * head * heads;
  const float unique = bytes * (query_bytes + 2 * seen_keys(kernel, shape) * head * heads / groups);
  const float staged = bytes * head * rows * heads * (config.tile_m + 2 * config.tile_n * work.iterations);
  const float output = query_bytes * constants.output_bytes;
  detail::fill_traffic(work, unique, std::max(staged, unique), output, 0,
                       detail::unit_clamp((unique + output) / constants.warm_bytes - 1.0F));
  return work;
}

// One query token of each sequence: the query heads of a key head are the rows of a tile, and split_k parts
// of the keys run side by side, whose sums (head size, largest score, sum; four bytes each) are written and
// read again. No two tiles share keys. A page's place in the cache takes four bytes.
inline TileWork map_paged_decode(const MappingConstants& constants, const ShapeTerms& terms,
                                 const ConfigConstants& config) {
  const TileKernel& kernel = constants.kernel;
  const float head = static_cast<float>(kernel.head_dim), bytes = static_cast<float>(kernel.operand_bytes);
  const float group = static_cast<float>(kernel.head_group), sequences = terms.m_f;
  const float query_heads = static_cast<float>(terms.shape.k);
  const float key_heads = std::ceil(query_heads / group), keys = seen_keys(kernel, terms.shape);
  TileWork work;
  work.waves = sequences * key_heads * std::ceil(group * config.per_m_f) * config.split_k * constants.per_sm;
  const float steps = std::ceil(keys * config.per_n_f);
  work.iterations = std::ceil(steps / config.split_k);
  const float queries = sequences * query_heads * head;
  const float pages = std::ceil(keys / static_cast<float>(kernel.page_keys));
  const float unique = bytes * (queries + 2 * sequences * keys * head * key_heads) + 4 * sequences * pages;
  float output = queries * constants.output_bytes;
  if (config.split_k > 1) output += 8 * config.split_k * sequences * query_heads * (head + 2);
  detail::fill_traffic(work, unique, unique, output, 0,
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
    case TileKernelKind::PagedDecode:
      return map_paged_decode(constants, terms, config);
    default:
      return map_gemm(constants, terms, config);
  }
}

// The same, with the constants worked out for this call alone. O(1), no allocation. The shape and the
// configuration must be positive.
TileWork tile_work(const TileKernel& kernel, const TileGpu& gpu, const TileShape& shape,
                   const TileConfig& config);

}  // namespace warploom
