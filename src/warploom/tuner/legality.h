// Which configurations a GPU can run, and how many tiles of one fit on an SM at most.
#pragma once

#include <string>
#include <vector>

#include "warploom/tuner/tile_config.h"
#include "warploom/tuner/tile_kernel.h"

namespace warploom {

// The values to combine. Attention ignores tile_k (its loop step is tile_n); split_k applies to gemm alone.
struct TileAxes {
  std::vector<std::int32_t> tile_m, tile_n, tile_k, warps, stages, split_k;
};
// What the reference kernels of a kind are tuned over.
TileAxes default_axes(TileKernelKind kind);

// Empty when the configuration may run; otherwise what it breaks: shared memory of a block, accumulator
// registers of a thread (255), threads of a block, tiles that are no power of two, too little work for the
// warps.
std::string why_illegal(const TileKernel& kernel, const TileGpu& gpu, const TileConfig& config);

// What the reference GEMM is tuned over beside that when its loop over k may be split into so many parts:
// small tiles, of which a grid has few.
TileAxes split_axes(const std::vector<std::int32_t>& parts);

// Every legal combination, in ascending order. Throws InvalidInput when none is left.
std::vector<TileConfig> legal_space(const TileKernel& kernel, const TileGpu& gpu, const TileAxes& axes);

// Tiles an SM can hold at once at most, from shared memory, accumulators, threads and blocks; 1 to 8. The
// compiler may use more of each, so the truth may lie below.
int most_slots(const TileKernel& kernel, const TileGpu& gpu, const TileConfig& config);

}  // namespace warploom
