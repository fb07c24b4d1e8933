#include "warploom/tuner/tile_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/tile_mapping.h"

namespace warploom {
namespace {

const TileConfig kConfig{128, 64, 32, 4, 3, 1};

TEST(TileConfig, ReadsWhatItWrites) {
  for (const TileConfig& config : {kConfig, TileConfig{16, 32, 128, 4, 5, 4}})
    EXPECT_EQ(parse_config(config_text(config), "here"), config);
  for (const char* text :
       {"", "128", "128x64x32", "128x64x32/w4", "128x64x32/w4/s3/", "0x64x32/w4/s3", "axbxc/w4/s3"})
    EXPECT_THROW(parse_config(text, "here"), InvalidInput) << text;
}

TEST(TileWork, CountsTilesAndIterations) {
  const TileGpu gpu;
  const TileWork work = tile_work({}, gpu, {300, 200, 100}, kConfig);
  EXPECT_FLOAT_EQ(work.waves, 3 * 4 / 132.0F);
  EXPECT_FLOAT_EQ(work.iterations, 4);
  const TileWork exact = tile_work({}, gpu, {256, 128, 96}, kConfig);
  EXPECT_FLOAT_EQ(exact.waves, 2 * 2 / 132.0F);
  EXPECT_FLOAT_EQ(exact.iterations, 3);
}

TEST(TileWork, SplitsTheLoopIntoMoreTiles) {
  TileConfig split = kConfig;
  split.split_k = 4;
  const TileWork one = tile_work({}, {}, {256, 256, 4096}, kConfig),
                 four = tile_work({}, {}, {256, 256, 4096}, split);
  EXPECT_FLOAT_EQ(four.waves, 4 * one.waves);
  EXPECT_FLOAT_EQ(four.iterations, one.iterations / 4);
}

TEST(TileWork, SeesThatOneTileRowSharesNothing) {
  const TileWork skinny = tile_work({}, {}, {128, 64 * 500, 4096}, kConfig);
  const TileWork square = tile_work({}, {}, {128 * 16, 64 * 32, 4096}, kConfig);
  EXPECT_GT(skinny.first_touch, 0.3F);
  EXPECT_LT(square.first_touch, 0.1F);
}

TEST(TileWork, MakesPaddingRowsAskForTheSameLines) {
  EXPECT_EQ(tile_work({}, {}, {128, 4096, 4096}, kConfig).hot_us, 0.0F);
  EXPECT_GT(tile_work({}, {}, {1, 4096, 4096}, kConfig).hot_us, 0.0F);
}

TEST(TileWork, PadsEachExpertOfAGroupedGemm) {
  TileKernel kernel{.kind = TileKernelKind::GroupedGemm, .experts = 8, .top_k = 2};
  // 8 experts of 5 pairs each: one tile row an expert.
  EXPECT_FLOAT_EQ(tile_work(kernel, {}, {40, 64, 64}, kConfig).waves, 8 / 132.0F);
  // 3 pairs reach 3 experts.
  EXPECT_FLOAT_EQ(tile_work(kernel, {}, {3, 64, 64}, kConfig).waves, 3 / 132.0F);
}

TEST(TileWork, HalvesTheLoopOfCausalAttention) {
  TileKernel kernel{.kind = TileKernelKind::Attention};
  const TileShape shape{8192, 8192, 64};
  const TileWork full = tile_work(kernel, {}, shape, kConfig);
  EXPECT_FLOAT_EQ(full.waves, 64 * 64 / 132.0F);
  EXPECT_FLOAT_EQ(full.iterations, 128);
  kernel.causal = true;
  const TileWork causal = tile_work(kernel, {}, shape, kConfig);
  EXPECT_GT(causal.iterations, 64);
  EXPECT_LT(causal.iterations, 70);
}

TEST(TileWork, SharesASplitLoopBetweenMoreTilesAndMovesTheirSums) {
  const TileShape shape{128, 64, 3200};
  const TileWork whole = tile_work({}, {}, shape, kConfig);
  const TileWork split = tile_work({}, {}, shape, {128, 64, 32, 4, 3, 8});
  EXPECT_FLOAT_EQ(split.waves, 8 * whole.waves);
  EXPECT_FLOAT_EQ(whole.iterations, 100);
  EXPECT_FLOAT_EQ(split.iterations, 13);
  // Eight sums of four bytes, written and read, beside the result of two.
  const TileShape large{8192, 8192, 3200};
  const float once = tile_work({}, {}, large, kConfig).write_mb;
  EXPECT_FLOAT_EQ(tile_work({}, {}, large, {128, 64, 32, 4, 3, 8}).write_mb, once * (2 + 64) / 2);
}

TEST(TileWork, CountsTheProblemsOfABatch) {
  const TileKernel batched{.batch = 7};
  const TileShape shape{300, 200, 100};
  EXPECT_FLOAT_EQ(tile_work(batched, {}, shape, kConfig).waves, 7 * tile_work({}, {}, shape, kConfig).waves);
}

TEST(RowClass, FollowsTheSizesThatLoadsRunAlong) {
  TileKernel kernel;
  EXPECT_EQ(row_class_of(kernel, {1, 64, 64}), kWholeLines);
  EXPECT_EQ(row_class_of(kernel, {1, 64, 65}), kNarrowLoads);
  EXPECT_EQ(row_class_of(kernel, {1, 65, 64}), kNarrowStores);
  kernel.operand_bytes = 1;
  EXPECT_EQ(row_class_of(kernel, {1, 64, 48}), kQuarterLines);
  kernel.b_along_n = true;
  EXPECT_EQ(row_class_of(kernel, {1, 65, 64}), kNarrowLoads);
}

TEST(Legality, SplitsLoopsOfGemmAlone) {
  const TileConfig split{64, 64, 64, 4, 3, 4};
  EXPECT_EQ(why_illegal({}, {}, split), "");
  EXPECT_NE(why_illegal({.kind = TileKernelKind::GroupedGemm}, {}, split).find("gemm"), std::string::npos);
  EXPECT_EQ(legal_space({}, {}, split_axes({2, 4, 8})).size(), 141U);
}

TEST(Legality, AcceptsWhatFitsAndSaysWhatDoesNot) {
  const TileKernel kernel;
  const TileGpu gpu;
  EXPECT_EQ(why_illegal(kernel, gpu, {128, 128, 64, 8, 3, 1}), "");
  EXPECT_NE(why_illegal(kernel, gpu, {256, 128, 128, 8, 5, 1}).find("bytes"), std::string::npos);
  EXPECT_NE(why_illegal(kernel, gpu, {128, 96, 64, 8, 3, 1}).find("power of two"), std::string::npos);
  EXPECT_NE(why_illegal(kernel, gpu, {256, 256, 32, 4, 2, 1}).find("accumulators"), std::string::npos);
}

TEST(Legality, EnumeratesTheSpaceOfTheReferenceGemm) {
  const auto space = legal_space({}, {}, default_axes(TileKernelKind::Gemm));
  EXPECT_EQ(space.size(), 320U);
  EXPECT_TRUE(std::is_sorted(space.begin(), space.end()));
}

TEST(Legality, RefusesAnEmptySpace) {
  EXPECT_THROW(legal_space({}, {}, {}), InvalidInput);
  EXPECT_THROW(legal_space({}, {}, {{256}, {256}, {128}, {8}, {5}, {1}}), InvalidInput);
}

TEST(Legality, BoundsResidentTiles) {
  EXPECT_EQ(most_slots({}, {}, {128, 128, 64, 8, 3, 1}), 2);
  EXPECT_EQ(most_slots({}, {}, {64, 64, 128, 4, 5, 1}), 1);
}

}  // namespace
}  // namespace warploom
