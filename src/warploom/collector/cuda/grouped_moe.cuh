// A fused mixture of experts: both grouped products with tensor cores, SiLU-and-mul between, weighted sum.
#pragma once

#include "warploom/collector/cuda/row_kernels.cuh"

namespace warploom::collector {

// The tokens of a rank, sorted by expert. Rows of expert e stand from first_row[e] on; a tile is up to
// `tile_rows` rows of one expert. Arrays are on the device.
struct GroupedRows {
  const int* tile_expert;  // [tiles]
  const int* tile_row;     // [tiles]: first row
  const int* tile_rows;    // [tiles]: rows of it that count
  int tiles = 0;
};

// out[row, :] = x[source[row] or row, :] W[expert]^T, weights [experts, n, k]. k a multiple of 64, n of 8.
// source nullptr: rows as they are.
struct GroupedProduct {
  const Bf16 *x, *weights;
  const int* source;
  Bf16* out;
  int n, k;
  GroupedRows rows;
};

// Rows of a tile: 64 suits few tokens for each expert, 128 many.
void launch_grouped(const GroupedProduct& product, int tile_rows, cudaStream_t stream);

}  // namespace warploom::collector
