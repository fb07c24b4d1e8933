// The two coordinates of the published wave model: G tiles of a launch, and L steps of the loop in one tile.
//
//   gemm:          G = ceil(m/Tm) ceil(n/Tn) x problems x parts of k,  L = ceil(ceil(k/Tk) / parts)
//   grouped_gemm:  G = sum over experts of ceil(m_e/Tm) x ceil(n/Tn),  L = ceil(k/Tk)
//   attention:     G = ceil(m/Tm) x heads,  L = key tiles of a row of tiles, in the mean where rows differ
//   paged_decode:  G = sequences x key heads x ceil(group/Tm) x parts,  L = ceil(ceil(n/Tn) / parts)
// Source: WaveTune (arXiv 2604.10187) for gemm; it names the others without a formula, so that those are
// derived from the kernels. Splits of a loop and windows are not in the publication.
#pragma once

#include <cmath>

#include "warploom/tuner/tile_mapping.h"

namespace warploom {

struct GridLoop {
  double grid = 1, loop = 1;

  bool operator==(const GridLoop&) const = default;
};

// The tile sizes of a macro configuration with their reciprocals, so that a mapping divides nothing.
struct MacroSizes {
  explicit MacroSizes(const TileConfig& config)
      : tile_m(config.tile_m),
        tile_n(config.tile_n),
        tile_k(config.tile_k),
        parts(config.split_k),
        per_m(1.0 / config.tile_m),
        per_n(1.0 / config.tile_n),
        per_k(1.0 / config.tile_k),
        per_part(1.0 / config.split_k) {}
  double tile_m, tile_n, tile_k, parts;
  double per_m, per_n, per_k, per_part;
};

namespace detail {

// ceil(count / tile) for whole numbers below 2^31.
inline double whole_tiles(double count, double tile, double per_tile) {
  return static_cast<double>(static_cast<std::int64_t>((count + tile - 0.5) * per_tile));
}

}  // namespace detail

// O(1), but O(experts) where experts' rows differ; no allocation. The shape must be positive.
inline GridLoop grid_and_loop(const MappingConstants& constants, const ShapeTerms& terms,
                              const MacroSizes& sizes) {
  const TileKernel& kernel = constants.kernel;
  const double columns = detail::whole_tiles(terms.n, sizes.tile_n, sizes.per_n);
  switch (kernel.kind) {
    case TileKernelKind::Attention: {
      const double rows = detail::whole_tiles(terms.m, sizes.tile_m, sizes.per_m);
      if (!kernel.causal || terms.n < terms.m) return {rows * terms.k, columns};
      return {rows * terms.k, double(causal_steps(kernel, terms.shape, float(sizes.tile_m),
                                                  float(sizes.tile_n), float(columns))
                                         .mean)};
    }
    case TileKernelKind::PagedDecode: {
      const double group = double(kernel.head_group);
      const double steps =
          detail::whole_tiles(double(seen_keys(kernel, terms.shape)), sizes.tile_n, sizes.per_n);
      return {terms.m * std::ceil(terms.k / group) * detail::whole_tiles(group, sizes.tile_m, sizes.per_m) *
                  sizes.parts,
              detail::whole_tiles(steps, sizes.parts, sizes.per_part)};
    }
    case TileKernelKind::GroupedGemm: {
      const double rows = terms.even_experts
                              ? double(terms.even_tile_rows(static_cast<float>(sizes.tile_m), sizes.per_m))
                              : terms.expert_tile_rows(constants, sizes.tile_m, sizes.per_m);
      return {rows * columns, detail::whole_tiles(terms.k, sizes.tile_k, sizes.per_k)};
    }
    default:
      const double steps = detail::whole_tiles(terms.k, sizes.tile_k, sizes.per_k);
      return {detail::whole_tiles(terms.m, sizes.tile_m, sizes.per_m) * columns * double(kernel.batch) *
                  sizes.parts,
              detail::whole_tiles(steps, sizes.parts, sizes.per_part)};
  }
}

// ceil(grid / slots): the waves that a grid runs in. The publication counts one tile an SM.
inline std::int64_t waves_of(double grid, double per_slot) {
  constexpr double kMostWaves = 1e15;  // a whole number whatever the grid
  return static_cast<std::int64_t>(std::min(kMostWaves, std::ceil(grid * per_slot - 1e-9)));
}

}  // namespace warploom
