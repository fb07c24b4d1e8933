// The mapping side by side against the mapping one by one.
#include "warploom/tuner/internal/four_works.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "warploom/base/random.h"

namespace warploom {
namespace {

constexpr TileConfig kConfigs[4] = {
    {16, 32, 32, 4, 5, 1}, {64, 256, 64, 4, 3, 1}, {128, 96, 128, 8, 3, 1}, {256, 48, 64, 8, 4, 1}};

FourWorks side_by_side(const MappingConstants& constants, const TileShape& shape) {
  FourFloats columns[12];
  for (std::size_t i = 0; i < 4; ++i) {
    const ConfigConstants config(constants.kernel, kConfigs[i]);
    float row[12];
    std::memcpy(row, &config.tile_m, sizeof row);
    for (std::size_t k = 0; k < 12; ++k) columns[k][i] = row[k];
  }
  FourConstants four;
  std::memcpy(static_cast<void*>(&four), columns, sizeof four);
  return four_works(constants, ShapeTerms(constants, shape), four);
}

void expect_same(const TileKernel& kernel) {
  const MappingConstants constants(kernel, {});
  RandomStream draw(3, "four works");
  for (int trial = 0; trial < 4000; ++trial) {
    const TileShape shape{std::llround(std::exp2(draw.uniform(0, 20))),
                          std::llround(std::exp2(draw.uniform(0, 20))),
                          std::llround(std::exp2(draw.uniform(0, 20)))};
    const FourWorks four = side_by_side(constants, shape);
    for (std::size_t i = 0; i < 4; ++i) {
      const TileWork one = tile_work(kernel, {}, shape, kConfigs[i]);
      EXPECT_EQ(four.waves[i], one.waves) << shape.m << " " << shape.n << " " << shape.k;
      EXPECT_EQ(four.iterations[i], one.iterations);
      EXPECT_FLOAT_EQ(four.first_touch[i], one.first_touch);
      EXPECT_EQ(four.cold[i], one.cold);
      EXPECT_FLOAT_EQ(four.read_mb[i], one.read_mb);
      EXPECT_FLOAT_EQ(four.write_mb[i], one.write_mb);
      EXPECT_FLOAT_EQ(four.hot_us[i], one.hot_us);
      EXPECT_EQ(four.crossing[i], one.crossing);
    }
  }
}

TEST(FourWorks, GemmAsOneByOne) { expect_same({.batch = 3}); }
TEST(FourWorks, GroupedGemmAsOneByOne) {
  expect_same({.kind = TileKernelKind::GroupedGemm, .experts = 16, .top_k = 2});
}
TEST(FourWorks, LeavesAttentionToItsOwnMapping) {
  EXPECT_TRUE(has_four_works({}));
  EXPECT_FALSE(has_four_works({.kind = TileKernelKind::Attention}));
}

}  // namespace
}  // namespace warploom
