#include "warploom/kernels/gemm/gemm_tile_prices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "warploom/base/random.h"

namespace warploom {
namespace {

GemmTileTerms drawn_terms(RandomStream& random, std::size_t tiles) {
  GemmTileTerms terms;
  terms.tiles = tiles;
  for (std::size_t i = 0; i < kMostGemmTiles; ++i) {
    const bool real = i < tiles;
    terms.step_seconds[i] = real ? float(random.uniform(1e-8, 1e-6)) : 1;
    terms.busy_seconds[i] = real ? float(random.uniform(1e-8, 2e-6)) : 1;
    terms.fixed_seconds[i] = real ? float(random.uniform(1e-7, 5e-6)) : 1;
    terms.blocks[i] = random.uniform() < 0.2 ? 2 : 1;
    terms.offered[i] = real && random.uniform() < 0.8 ? 0.0F : std::numeric_limits<float>::infinity();
  }
  terms.tail = float(random.uniform(0, 1));
  terms.shown = float(random.uniform(0, 1));
  terms.sms = 132;
  terms.may_split = random.uniform() < 0.7;
  terms.split_seconds = 2.5e-6;
  terms.l2_rate = 5e12;
  return terms;
}

class GemmTileUnits : public ::testing::TestWithParam<VectorUnit> {};

TEST_P(GemmTileUnits, GiveTheSameBits) {
  if (!has_vector_unit(GetParam())) GTEST_SKIP() << "this processor has no such unit";
  RandomStream random(11, "tile prices");
  for (int draw = 0; draw < 2000; ++draw) {
    const std::size_t tiles = draw % 2 == 0 ? kSharedGemmTiles : kMostGemmTiles;
    const GemmTileTerms terms = drawn_terms(random, tiles);
    const double m = std::floor(std::exp2(random.uniform(0, 17))),
                 n = std::floor(std::exp2(random.uniform(4, 17))),
                 k = std::floor(std::exp2(random.uniform(4, 15))), batch = draw % 5 == 0 ? 16 : 1;
    GemmTilePrices plain, vectors;
    price_gemm_tiles(terms, m, n, k, batch, plain, VectorUnit::Plain);
    price_gemm_tiles(terms, m, n, k, batch, vectors, GetParam());
    EXPECT_EQ(plain.tile_seconds, vectors.tile_seconds);
    EXPECT_EQ(plain.tile, vectors.tile);
    EXPECT_EQ(plain.splits, vectors.splits);
    EXPECT_EQ(plain.waves, vectors.waves);
    for (std::size_t i = 0; i < tiles; ++i) {
      EXPECT_EQ(plain.by_tile[i], vectors.by_tile[i]) << i;
      EXPECT_EQ(plain.wave_count[i], vectors.wave_count[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, GemmTileUnits, ::testing::Values(VectorUnit::Avx2, VectorUnit::Avx512));

// One tile offered on four SMs: 256 x 512 x 128 in tiles of 128 x 128 are eight tiles of two steps, two
// waves.
TEST(GemmTilePrices, CountWavesAndSteps) {
  GemmTileTerms terms;
  terms.step_seconds.fill(1e-6F);
  terms.busy_seconds.fill(0);
  terms.fixed_seconds.fill(3e-6F);
  terms.blocks.fill(1);
  terms.offered.fill(std::numeric_limits<float>::infinity());
  const std::size_t square = shared_gemm_tile(5, 1);
  terms.offered[square] = 0;
  terms.sms = 4;
  GemmTilePrices prices;
  price_gemm_tiles(terms, 256, 512, 128, 1, prices);
  EXPECT_EQ(prices.tile, square);
  EXPECT_EQ(prices.waves, 2);
  EXPECT_EQ(prices.splits, 1);
  EXPECT_NEAR(prices.tile_seconds, 2 * (2 * 1e-6 + 3e-6), 1e-12);
}

}  // namespace
}  // namespace warploom
