#include "warploom/ceiling/cause.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

double share_of(const std::vector<Counterfactual>& causes, Cause cause) {
  for (const Counterfactual& entry : causes)
    if (entry.cause == cause) return entry.saved_share;
  return 0;
}

std::vector<Counterfactual> causes_of(const Operator& op, const GpuSpec& gpu, double slowdown = 1) {
  const KernelProfile p = profile(op, gpu);
  return counterfactuals({op, gpu, {}, {}, p, Seconds(p.structural * slowdown)});
}

TEST(Cause, TailWaveIsLargestWhereOneTileStartsANewWave) {
  const GpuCatalog catalog;
  // Where the power limit holds products back, as on H100, SMs that idle let the others run faster.
  const GpuSpec& gpu = catalog.get("a100_sxm");
  // Rows of tiles from 60 to 75 with 8 columns of tiles: somewhere the rounds just overflow, somewhere fill.
  double least = 1, most = 0;
  for (std::int64_t rows = 8; rows <= 40; ++rows) {
    const Operator op = Gemm{.m = 128 * rows, .n = 2048, .k = 8192};
    const KernelProfile p = profile(op, gpu);
    if (p.sm_waves < 1) continue;
    const double share = share_of(causes_of(op, gpu), Cause::TailWave);
    least = std::min(least, share);
    most = std::max(most, share);
    // At most what the idle share of the rounds can cost.
    EXPECT_LE(share, 1 - p.sm_waves / std::ceil(p.sm_waves) + 1e-9);
  }
  EXPECT_EQ(least, 0) << "full rounds have no tail";
  EXPECT_GT(most, 0.1);
}

TEST(Cause, SmallKernelIsBoundByItsLaunch) {
  const GpuCatalog catalog;
  const auto causes = causes_of(RmsNorm{.tokens = 1, .width = 1024}, catalog.get("h100_sxm"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().cause, Cause::LaunchBound);
  EXPECT_GT(causes.front().saved_share, 0.9);
}

TEST(Cause, FewTasksOccupyFewSms) {
  const GpuCatalog catalog;
  const auto causes = causes_of(AttentionPrefill{.heads = 4, .kv_heads = 1, .requests = {{1, 2048, 0}}},
                                catalog.get("h100_sxm"));
  EXPECT_GT(share_of(causes, Cause::LowOccupancy) + share_of(causes, Cause::UnbalancedTasks), 0.2);
  EXPECT_EQ(share_of(causes, Cause::TailWave), 0);
}

TEST(Cause, SkewedRoutingCostsWhatEvenRoutingSaves) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  FusedMoe op{.tokens = 4096, .hidden = 4096, .intermediate = 1536, .experts = 128, .top_k = 8};
  op.expert_parallel = 8;
  EXPECT_EQ(share_of(causes_of(op, gpu), Cause::UnbalancedExperts), 0);
  op.routing = RoutingKind::PowerLaw;
  op.routing_alpha = 1.2;
  EXPECT_GT(share_of(causes_of(op, gpu), Cause::UnbalancedExperts), 0.1);
}

TEST(Cause, PaddingOfASingleRowPerExpert) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("a40");
  const FusedMoe op{.tokens = 128, .hidden = 4096, .intermediate = 1536, .experts = 128, .top_k = 8};
  const KernelProfile p = profile(op, gpu);
  EXPECT_GT(p.padding, 1.5);
  // Where memory hides the padded products, padding costs little; it never costs more than its products.
  EXPECT_LE(share_of(causes_of(op, gpu), Cause::Padding), 1 - 1 / p.padding);
}

TEST(Cause, SplitIsMissedOnlyWhereTheTimeLooksUnsplit) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  const Operator op = Gemm{.m = 128, .n = 512, .k = 65536};
  ASSERT_GT(profile(op, gpu).splits, 1);
  EXPECT_EQ(share_of(causes_of(op, gpu, 1.0), Cause::NoSplitK), 0);
  EXPECT_GT(share_of(causes_of(op, gpu, 20.0), Cause::NoSplitK), 0.1);
}

TEST(Cause, WhatTheStructureHidesCostsNothing) {
  const GpuCatalog catalog;
  // A product whose compute takes ten times as long as its memory, as `predict` shows.
  const Operator op = Gemm{.m = 16384, .n = 28672, .k = 4096};
  const KernelProfile p = profile(op, catalog.get("h100_sxm"));
  ASSERT_GT(p.price.compute, 10 * p.price.memory);
  for (const double slowdown : {1.0, 1.5})
    EXPECT_EQ(share_of(causes_of(op, catalog.get("h100_sxm"), slowdown), Cause::MemoryTraffic), 0);
}

TEST(Cause, PassesAndSecondReadsCostWhatThePriceGivesThem) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  const Operator fp8 = Gemm{.scheme = MatmulScheme::Fp8, .m = 4096, .n = 4096, .k = 4096};
  const StructuralPrice price = profile(fp8, gpu).price;
  ASSERT_GT(price.passes, kNamedCause * price.seconds);
  EXPECT_NEAR(share_of(causes_of(fp8, gpu), Cause::ExtraPasses), price.passes / price.seconds, 1e-4);
  // Dynamic scales: the rows are read twice, for their largest value and to be quantised.
  const Operator quantize = Quantize{.rows = 65536, .width = 8192, .dynamic = true};
  EXPECT_NEAR(share_of(causes_of(quantize, gpu), Cause::MemoryTraffic), 0.4, 0.02);
  EXPECT_EQ(share_of(causes_of(RmsNorm{.tokens = 65536, .width = 8192}, gpu), Cause::MemoryTraffic), 0);
}

TEST(Cause, SharesAreSortedNamedAndBelowOne) {
  const GpuCatalog catalog;
  for (const char* name : {"h100_sxm", "a40", "b200_sxm"})
    for (const Operator& op : std::vector<Operator>{
             Gemm{.m = 77, .n = 4096, .k = 4096}, Gemm{.m = 5000, .n = 5000, .k = 512},
             AttentionDecode{.heads = 32, .kv_heads = 8, .requests = {{8, 1, 1000}, {1, 1, 60000}}},
             Activation{.tokens = 300, .width = 14336}}) {
      const auto causes = causes_of(op, catalog.get(name), 1.5);
      EXPECT_TRUE(std::is_sorted(causes.begin(), causes.end(),
                                 [](const auto& a, const auto& b) { return a.saved_share > b.saved_share; }));
      for (const Counterfactual& entry : causes) {
        EXPECT_GE(entry.saved_share, kNamedCause);
        EXPECT_LT(entry.saved_share, 1);
        EXPECT_NE(entry.cause, Cause::KernelCode);
      }
    }
}

}  // namespace
}  // namespace warploom
