// A tiled product and the tiling that it runs with: what task_grid.h counts blocks and traffic of.
#pragma once

#include <array>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/operator.h"

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

// One product, or the grouped products of experts.
struct TiledProduct {
  std::array<double, kRowBlocks.size()> row_tiles{};  // by height kRowBlocks[i], over batch or experts
  double n = 1, k = 1;
  double rows = 1;                                                  // unpadded, over batch or experts
  double activation_bytes = 2, weight_bytes = 2, output_bytes = 2;  // per element
  double rate = 0;  // FLOP per clock per SM, efficiency of the unit included; 0: not asked for
  bool may_split = true;
};

// Without a rate. Throws Unsupported when the GPU cannot run the type.
TiledProduct tiled_product(const Gemm& op, const GpuSpec& gpu);

}  // namespace warploom
