// Time of a tiled product as the minimum over the tilings a library may choose.
//
//   for each tile (bm, bn) and split s of the inner length:
//     ks    = ceil(K / 64 / s) * 64
//     wave  = ceil(row_tiles(bm) * ceil(N / bn) * s / SMs)
//     math  = 2 bm bn ks / (rate * tensor_efficiency * min(1, bm/128)^xm * min(1, bn/128)^xn)
//     feed  = (bm * activation bytes + bn * weight bytes) ks / feed_bytes_per_clock
//     clocks = wave * (max(math, feed) + step * ks / 64 + prologue + epilogue * output bytes of the tile)
//     tile   = clocks / boost + (s > 1: split time + partial sums through L2)
//   T = launch + (min(tile)^p + memory^p)^(1/p)
//
// One block per SM: larger tiles leave room for no second, and smaller ones share the matrix unit anyway.
#pragma once

#include <array>

#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/structural_parameters.h"
#include "warploom/kernels/work.h"

namespace warploom {

// The chosen tiling.
struct GemmTiling {
  std::int64_t tile_m = 128, tile_n = 128;
  std::int64_t splits = 1;
  double row_tiles = 1, column_tiles = 1;
  double waves = 1;   // whole rounds of SMs
  Seconds tile_time;  // without launch and memory

  double tasks() const { return row_tiles * column_tiles * double(splits); }
};

// The same for one product and for the grouped products of experts.
struct TiledProduct {
  std::array<double, kRowBlocks.size()> row_tiles{};  // by height kRowBlocks[i], over batch or experts
  double n = 1, k = 1;
  double rows = 1;                                                  // unpadded, over batch or experts
  double activation_bytes = 2, weight_bytes = 2, output_bytes = 2;  // per element
  double rate = 0;  // FLOP per clock per SM, efficiency of the unit included
  bool may_split = true;
};

TiledProduct tiled_product(const Gemm& op, const GpuSpec& gpu, const GemmParameters& parameters);

// About 60 candidates, no allocation.
GemmTiling choose_tiling(const TiledProduct& product, const GpuSpec& gpu, const GemmParameters& parameters);

// Share of a working set that L2 keeps between launches: 1 / (1 + (bytes / (fraction * L2))^sharpness).
double resident_share(double bytes, const GpuSpec& gpu, double cache_fraction, double sharpness);

// Time of memory traffic of a product: cold weights from DRAM, warm ones by their resident share; activations
// come from and stay in L2 as far as they fit.
Seconds gemm_memory_time(const Gemm& op, const GpuSpec& gpu, const GemmParameters& parameters);

// T above, the quantising pass of the scheme included. `tiling` receives the choice when not null.
Seconds gemm_structural_time(const Gemm& op, const GpuSpec& gpu, const GemmParameters& parameters,
                             GemmTiling* tiling = nullptr);

// (a^p + b^p)^(1/p).
double power_norm(double a, double b, double p);

}  // namespace warploom
