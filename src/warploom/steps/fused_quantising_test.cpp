#include "warploom/steps/fused_quantising.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/steps/step_rules.h"

namespace warploom {
namespace {

const GpuSpec& h100_of_quantising() {
  static const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  return gpu;
}

RuleUse quantising_on(const GpuSpec& gpu) { return StepRules::shipped().find(RuleKind::Quantising, gpu, {}); }

// What the kernels before a product take longer on an H100.
Seconds fused_before(const Gemm& product) {
  const RuleUse use = quantising_on(h100_of_quantising());
  return fused_quantising(use.constants<QuantisingConstants>(), product, h100_of_quantising());
}

Gemm fp8_product(std::int64_t rows, std::int64_t k) {
  return {.scheme = MatmulScheme::Fp8, .m = rows, .n = 4096, .k = k};
}

LatencyEstimate exactly(Seconds time) { return {.p10 = time, .p50 = time, .p90 = time}; }

TEST(FusedQuantising, OnlyDynamicFp8HoldsIt) {
  EXPECT_EQ(quantising_of(fp8_product(1, 4096)), RuleKind::Quantising);
  Gemm product = fp8_product(1, 4096);
  product.scheme = MatmulScheme::Fp8Block;
  EXPECT_EQ(quantising_of(product), RuleKind::BlockQuantising);
  product.batch = 2;
  EXPECT_EQ(quantising_of(product), std::nullopt);
  for (const MatmulScheme other : {MatmulScheme::Bf16, MatmulScheme::Fp8Static}) {
    product = fp8_product(1, 4096);
    product.scheme = other;
    EXPECT_EQ(quantising_of(product), std::nullopt);
  }
}

TEST(FusedQuantising, FewRowsTakeTheTimeOfOneAndManyTheirBytes) {
  const Seconds one = fused_before(fp8_product(1, 4096));
  EXPECT_EQ(fused_before(fp8_product(64, 4096)), one);
  EXPECT_GT(fused_before(fp8_product(1, 14336)), one);
  const Seconds many = fused_before(fp8_product(8192, 4096));
  EXPECT_NEAR((fused_before(fp8_product(16384, 4096)) / many), 2, 1e-9);
}

TEST(FusedQuantising, TwoPassesOfTheTableGiveWayToTheFusedOne) {
  const Gemm product = fp8_product(1024, 4096);
  const Seconds fused = fused_before(product);
  LatencyEstimate answer = exactly(microseconds(100));
  fuse_quantising(quantising_on(h100_of_quantising()), product, h100_of_quantising(), microseconds(6),
                  answer);
  EXPECT_NEAR((answer.p50 - fused).value(), 89.2e-6, 1e-12);
  EXPECT_NEAR((answer.p50 - answer.p10).value(), fused.value(), 1e-12) << "that nothing stays";
  EXPECT_NEAR((answer.p90 - answer.p50).value(), fused.value(), 1e-12) << "that twice as much does";
  EXPECT_TRUE(answer.in_step);
}

TEST(FusedQuantising, ElsewhereTheRowMayStayAsItIs) {
  const Gemm product = fp8_product(1024, 4096);
  LatencyEstimate answer = exactly(microseconds(100));
  const GpuSpec b200 = GpuCatalog().get("b200_sxm");
  fuse_quantising(quantising_on(b200), product, b200, microseconds(20), answer);
  EXPECT_LT(answer.p50, microseconds(80));
  EXPECT_GE(answer.p90, microseconds(100));
}

TEST(FusedQuantising, KnownScalesAreNotDearerThanDynamicOnes) {
  LatencyEstimate known = exactly(microseconds(100));
  bound_by_dynamic(exactly(microseconds(120)), known);
  EXPECT_EQ(known.p50, microseconds(100));
  bound_by_dynamic(exactly(microseconds(80)), known);
  EXPECT_EQ(known.p50, microseconds(80));
  EXPECT_GE(known.p90, microseconds(99.9));
}

TEST(FusedQuantising, KnownScalesLoseTheOtherPassToo) {
  LatencyEstimate product = exactly(microseconds(100));  // one pass of 6 us is off
  drop_other_pass(quantising_on(h100_of_quantising()), microseconds(6), product);
  EXPECT_NEAR(to_microseconds(product.p50), 95.2, 1e-9);
  EXPECT_LT(product.p10, product.p50);
  EXPECT_GE(product.p90, microseconds(100));
  const Quantize pass{.rows = 16, .width = 4096, .dynamic = false};
  LatencyEstimate alone = exactly(microseconds(9));
  fuse_static_quantising(quantising_on(h100_of_quantising()), pass, h100_of_quantising(), alone);
  EXPECT_EQ(alone.p50, fused_before(fp8_product(16, 4096)));
  LatencyEstimate short_one = exactly(microseconds(1));
  fuse_static_quantising(quantising_on(h100_of_quantising()), pass, h100_of_quantising(), short_one);
  EXPECT_EQ(short_one.p50, microseconds(1));
}

TEST(FusedQuantising, NeverBelowTheBound) {
  LatencyEstimate answer = exactly(microseconds(10));
  answer.physical_bound = microseconds(9);
  fuse_quantising(quantising_on(h100_of_quantising()), fp8_product(1, 4096), h100_of_quantising(),
                  microseconds(6), answer);
  EXPECT_GT(answer.p50, microseconds(9)) << "no product is as fast as physics";
  EXPECT_LE(answer.p50, microseconds(10));
  EXPECT_EQ(answer.p10, microseconds(9));
}

}  // namespace
}  // namespace warploom
