// Sixteen tilings at a time.
#include "warploom/kernels/gemm/gemm_tile_units.h"

namespace warploom::gemm_tiles {

#if defined(__x86_64__)

namespace {
#define WARPLOOM_LANES 16
#define WARPLOOM_TARGET __attribute__((target("avx512f,avx512dq")))
#include "warploom/kernels/gemm/gemm_tile_lanes.inc"
}  // namespace

WARPLOOM_TARGET void price_avx512(const GemmTileTerms& terms, const GemmTileReciprocals& reciprocals,
                                  double m, double n, double k, double batch, GemmTilePrices& prices) {
  price_lanes(terms, reciprocals, m, n, k, batch, prices);
}

#else

void price_avx512(const GemmTileTerms& terms, const GemmTileReciprocals& reciprocals, double m, double n,
                  double k, double batch, GemmTilePrices& prices) {
  price_plain(terms, reciprocals, m, n, k, batch, prices);
}

#endif

}  // namespace warploom::gemm_tiles
