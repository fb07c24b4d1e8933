#include "warploom/measurements/quality.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

TEST(Quality, MergesRepeatsToTheirMedian) {
  Dataset data;
  for (const double latency : {10.0, 14.0, 11.0}) data.add(gemm_row(16, "h100_sxm", latency));
  data.add(gemm_row(16, "l40s", 50));
  data.add(gemm_row(16, "h100_sxm", 99, "sglang"));
  std::vector<std::size_t> merged;
  EXPECT_EQ(merge_repeats(data, [&](std::size_t row) { merged.push_back(row); }), 2u);
  EXPECT_EQ(merged, (std::vector<std::size_t>{1, 2}));
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data.latency(0), microseconds(11));
  EXPECT_EQ(data.n_samples(0), 3);
  EXPECT_EQ(data.gpu(1), "l40s");
  EXPECT_EQ(merge_repeats(data), 0u);
}

TEST(Quality, CountsCopiesOnce) {
  Dataset data;
  for (const double latency : {10.0, 10.0, 30.0}) data.add(gemm_row(16, "h100_sxm", latency));
  merge_repeats(data);
  EXPECT_EQ(data.latency(0), microseconds(20));
  EXPECT_EQ(data.n_samples(0), 2);
}

TEST(Quality, BoundsALargeProductByItsPeakRate) {
  const GpuCatalog catalog;
  const GpuSpec& h100 = catalog.get("h100_sxm");
  const Operator op = Gemm{.m = 8192, .n = 8192, .k = 8192};
  const Seconds bound = physical_bound_of(op, h100);
  EXPECT_GT(to_microseconds(bound), 1000);  // 1.1 PFLOP at about 1 PFLOP/s
  EXPECT_LT(to_microseconds(bound), 1300);
}

TEST(Quality, GivesADoubtfulLabelTheBenefit) {
  const GpuCatalog catalog;
  const GpuSpec& h100 = catalog.get("h100_sxm");
  AttentionPrefill plain{.heads = 32, .kv_heads = 8, .requests = {{.count = 4, .query_tokens = 8192}}};
  AttentionPrefill fp8_cache = plain;
  fp8_cache.kv_cache = DataType::Fp8;
  EXPECT_LT(physical_bound_of(fp8_cache, h100).value(), 0.6 * physical_bound_of(plain, h100).value());
}

RC_GTEST_PROP(Quality, TheCeilingIsNeverBelowTheBound, ()) {
  const GpuCatalog catalog;
  const std::int64_t experts = 8 << *rc::gen::inRange(0, 5);
  const FusedMoe moe{.tokens = *rc::gen::inRange(1, 2000),
                     .hidden = 2048,
                     .intermediate = 768,
                     .experts = experts,
                     .top_k = *rc::gen::inRange(1, 8),
                     .expert_parallel = *rc::gen::element<std::int64_t>(1, 2, 8),
                     .routing = RoutingKind::PowerLaw,
                     .routing_alpha = 1.2};
  const GpuSpec& gpu = catalog.get("h100_sxm");
  RC_ASSERT(physical_bound_ceiling(moe, gpu).value() >= 0.999 * physical_bound_of(moe, gpu).value());
}

TEST(Quality, SaysNothingWhereTheGpuHasNoRate) {
  const GpuCatalog catalog;
  const Operator fp8 = Gemm{.scheme = MatmulScheme::Fp8, .m = 8192, .n = 8192, .k = 8192};
  EXPECT_EQ(physical_bound_of(fp8, catalog.get("p100")), Seconds(0));
}

}  // namespace
}  // namespace warploom
