// Seconds of a product under every tiling and split of gemm_model.h, several tilings to an instruction.
#pragma once

#include <cstddef>

#include "warploom/base/vector_unit.h"
#include "warploom/kernels/gemm/gemm_tile_terms.h"

namespace warploom {

GemmTileShape gemm_tile_shape(std::size_t index);

// About 50 ns with AVX2, no allocation. The same bits with every unit.
void price_gemm_tiles(const GemmTileTerms& terms, double m, double n, double k, double batch,
                      GemmTilePrices& prices, VectorUnit unit = best_vector_unit());

}  // namespace warploom
