#include "warploom/tuner/tile_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

TEST(TileWork, CountsTheTilesOfUnevenExperts) {
  TileKernel kernel{.kind = TileKernelKind::GroupedGemm, .experts = 8, .top_k = 2};
  const float even = tile_work(kernel, {}, {1024, 64, 64}, kConfig).waves;
  EXPECT_FLOAT_EQ(even, 8 / 132.0F);
  kernel.expert_skew = 2;  // 670, 168, 75, 41, 27, 19, 14 and 10 rows
  const TileWork skewed = tile_work(kernel, {}, {1024, 64, 64}, kConfig);
  EXPECT_FLOAT_EQ(skewed.waves, (6 + 2 + 6) / 132.0F);
  // Few pairs leave experts without a row, whose operands are not read.
  kernel.expert_skew = 4;
  const TileShape few{64, 4096, 4096};
  EXPECT_LT(
      tile_work(kernel, {}, few, kConfig).read_mb,
      0.7F * tile_work({.kind = TileKernelKind::GroupedGemm, .experts = 8, .top_k = 2}, {}, few, kConfig)
                 .read_mb);
}

TEST(ExpertRows, SumToThePairs) {
  for (const double skew : {0.1, 1.0, 1.2, 3.0})
    for (const std::int64_t experts : {1, 3, 128})
      for (const double pairs : {1.0, 7.0, 1000.0, 1e6}) {
        double sum = 0, largest = 0, first = -1;
        std::int64_t count = 0;
        visit_expert_rows(skewed_share_ends(experts, skew), pairs, [&](double rows) {
          EXPECT_GE(rows, 0);
          if (first < 0) first = rows;
          largest = std::max(largest, rows);
          sum += rows;
          ++count;
        });
        EXPECT_EQ(sum, pairs);
        EXPECT_EQ(count, experts);
        EXPECT_LE(largest, first + 1);
      }
  EXPECT_TRUE(skewed_share_ends(16, 0).empty());
}

// The steps of every row of tiles, one by one.
KeySteps counted_steps(const TileShape& shape, std::int64_t window, const TileConfig& c) {
  double sum = 0, longest = 0, rows = 0;
  for (std::int64_t row = 0; row < shape.m; row += c.tile_m, ++rows) {
    const std::int64_t last = std::min(shape.n, shape.n - shape.m + row + c.tile_m);
    const std::int64_t first = std::max<std::int64_t>(0, shape.n - shape.m + row + 1 - window);
    const double steps = std::ceil(double(last) / c.tile_n) - std::floor(double(first) / c.tile_n);
    sum += steps;
    longest = std::max(longest, steps);
  }
  return {float(sum / rows), float(longest)};
}

TEST(TileWork, AWindowCutsTheLoopOfCausalAttention) {
  for (const std::int64_t window : {100, 512, 1024, 4096})
    for (const TileShape& shape :
         {TileShape{8192, 8192, 8}, TileShape{2048, 10240, 8}, TileShape{128, 5000, 8}})
      for (const TileConfig& config : {kConfig, TileConfig{64, 32, 32, 4, 3, 1}}) {
        const TileKernel kernel{.kind = TileKernelKind::Attention, .causal = true, .window = window};
        const KeySteps counted = counted_steps(shape, window, config),
                       steps = causal_steps(kernel, shape, float(config.tile_m), float(config.tile_n), 1e6F);
        EXPECT_NEAR(steps.mean, counted.mean, 1.0F) << window << " " << shape.m;
        EXPECT_NEAR(steps.longest, counted.longest, 1.0F) << window << " " << shape.m;
        // Fewer keys are read than without a window, where it is shorter than what a query sees.
        TileKernel all = kernel;
        all.window = 0;
        const TileWork cut = tile_work(kernel, {}, shape, config), whole = tile_work(all, {}, shape, config);
        EXPECT_LT(cut.iterations, whole.iterations);
        EXPECT_LE(cut.read_mb, whole.read_mb);
      }
  // A window as long as all keys is none.
  const TileKernel causal{.kind = TileKernelKind::Attention, .causal = true};
  TileKernel wide = causal;
  wide.window = 8192;
  EXPECT_EQ(tile_work(wide, {}, {8192, 8192, 8}, kConfig).iterations,
            tile_work(causal, {}, {8192, 8192, 8}, kConfig).iterations);
}

TEST(TileWork, DecodesFromPages) {
  TileKernel kernel{.kind = TileKernelKind::PagedDecode, .head_group = 4};
  const TileShape shape{64, 4096, 32};  // 8 key heads
  const TileConfig config{16, 64, 64, 4, 3, 1};
  const TileWork whole = tile_work(kernel, {}, shape, config);
  EXPECT_FLOAT_EQ(whole.waves, 64 * 8 / 132.0F);
  EXPECT_FLOAT_EQ(whole.iterations, 64);
  // Keys and values of 64 sequences, read once: 64 x 4096 x 8 x 128 x 2 x 2 bytes, queries and places beside.
  EXPECT_NEAR(whole.read_mb, 1073.7F, 1.0F);
  EXPECT_FLOAT_EQ(whole.first_touch, whole.cold);
  const TileWork parts = tile_work(kernel, {}, shape, {16, 64, 64, 4, 3, 8});
  EXPECT_FLOAT_EQ(parts.waves, 8 * whole.waves);
  EXPECT_FLOAT_EQ(parts.iterations, 8);
  EXPECT_GT(parts.write_mb, whole.write_mb);
  kernel.window = 1000;
  EXPECT_FLOAT_EQ(tile_work(kernel, {}, shape, config).iterations, 16);
  kernel.head_group = 32;  // two tiles of query heads for the one key head
  EXPECT_FLOAT_EQ(tile_work(kernel, {}, shape, config).waves, 64 * 2 / 132.0F);
}

TEST(TileKernel, RefusesAWindowWithoutACausalMask) {
  EXPECT_NO_THROW(check_kernel({.kind = TileKernelKind::Attention, .causal = true, .window = 512}, "here"));
  EXPECT_NO_THROW(check_kernel({.kind = TileKernelKind::PagedDecode, .window = 512}, "here"));
  EXPECT_THROW(check_kernel({.kind = TileKernelKind::Attention, .window = 512}, "here"), InvalidInput);
  EXPECT_THROW(check_kernel({.expert_skew = -1}, "here"), InvalidInput);
}

TEST(Legality, PagesAndTilesHoldEachOtherWhole) {
  TileKernel kernel{.kind = TileKernelKind::PagedDecode, .head_group = 8, .page_keys = 64};
  EXPECT_EQ(why_illegal(kernel, {}, {16, 32, 32, 4, 3, 1}), "");
  EXPECT_EQ(why_illegal(kernel, {}, {16, 128, 128, 4, 2, 4}), "");
  kernel.page_keys = 48;
  EXPECT_NE(why_illegal(kernel, {}, {16, 32, 32, 4, 3, 1}).find("pages"), std::string::npos);
  kernel.page_keys = 16;
  const auto space = legal_space(kernel, {}, default_axes(TileKernelKind::PagedDecode));
  EXPECT_GT(space.size(), 100U);
  for (const TileConfig& config : space) EXPECT_EQ(config.tile_k, config.tile_n);
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
