#include "warploom/steps/step_sampling.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/steps/step_rules.h"

namespace warploom {
namespace {

RulePrice on(std::string_view name, const Sampling& op) {
  const GpuSpec gpu = GpuCatalog().get(name);
  return step_sampling_price(StepRules::shipped().find(RuleKind::Sampling, gpu, {}), op);
}

Seconds sampled(std::int64_t sequences, std::int64_t vocabulary) {
  return on("h100_sxm", {.sequences = sequences, .vocabulary = vocabulary}).time;
}

// Sums of kernels of Qwen3-14B's steps on an H100, which the line was not fitted to: 67, 125 and 268 us.
TEST(StepSampling, IsWithinAThirdOfStepsElsewhere) {
  EXPECT_NEAR(sampled(1, 151936).value(), 67e-6, 23e-6);
  EXPECT_NEAR(sampled(64, 151936).value(), 125e-6, 40e-6);
  EXPECT_NEAR(sampled(256, 151936).value(), 267e-6, 50e-6);
}

TEST(StepSampling, GrowsWithTheLogits) {
  EXPECT_LT(sampled(8, 128256), sampled(64, 128256));
  EXPECT_EQ(sampled(64, 32000), sampled(32, 64000));
}

TEST(StepSampling, IsOfWordsAndNotOfExperts) {
  EXPECT_TRUE(is_step_sampling(Sampling{.sequences = 4, .vocabulary = 32000}));
  EXPECT_FALSE(is_step_sampling(Sampling{.sequences = 4, .vocabulary = 256}));
  EXPECT_FALSE(is_step_sampling(Gemm{}));
}

TEST(StepSampling, SaysWhereItWasMeasuredAndHowFarStepsElsewhereLie) {
  const RulePrice here = on("h200_sxm", {}), elsewhere = on("h100_sxm", {});
  EXPECT_EQ(here.tier, Tier::Measured);
  EXPECT_EQ(elsewhere.tier, Tier::CrossGpu);
  EXPECT_EQ(here.time, elsewhere.time);
  EXPECT_EQ(here.low, -0.265) << "what tools/fit_steps finds";
  EXPECT_EQ(here.high, 0.265);
}

}  // namespace
}  // namespace warploom
