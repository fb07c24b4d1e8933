// What the implementations of price_gemm_tiles share, one for each set of instructions.
#pragma once

#include "warploom/kernels/gemm/gemm_tile_terms.h"

namespace warploom::gemm_tiles {

struct GemmTileReciprocals {
  GemmTileValues per_row{}, per_column{};  // 1 / rows, 1 / columns
};

void price_plain(const GemmTileTerms& terms, const GemmTileReciprocals& reciprocals, double m, double n,
                 double k, double batch, GemmTilePrices& prices);
void price_avx2(const GemmTileTerms& terms, const GemmTileReciprocals& reciprocals, double m, double n,
                double k, double batch, GemmTilePrices& prices);
void price_avx512(const GemmTileTerms& terms, const GemmTileReciprocals& reciprocals, double m, double n,
                  double k, double batch, GemmTilePrices& prices);

}  // namespace warploom::gemm_tiles
