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

#include "warploom/kernels/frozen/structural_parameters.h"
#include "warploom/kernels/tiled_product.h"
#include "warploom/kernels/work.h"

namespace warploom {

// tiled_product.h with the rate that these constants give it.
TiledProduct rated_product(const Gemm& op, const GpuSpec& gpu, const GemmParameters& parameters);

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
