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
  EXPECT_TRUE(is_expert_choice(Sampling{.sequences = 4, .vocabulary = 256}));
  EXPECT_FALSE(is_expert_choice(Sampling{.sequences = 4, .vocabulary = 8}));
  EXPECT_FALSE(is_expert_choice(Sampling{.sequences = 4, .vocabulary = 32000}));
  EXPECT_FALSE(is_expert_choice(Gemm{}));
}

// topkGating of Qwen3-30B-A3B on an H200, 128 experts: 4.0 us for 16 tokens, 6.0 for 2,048, 12.3 for 8,192.
TEST(StepSampling, ChoosesExperts) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const RuleUse rule = StepRules::shipped().find(RuleKind::ExpertChoice, gpu, {});
  const auto chosen = [&](std::int64_t tokens) {
    return step_sampling_price(rule, {.sequences = tokens, .vocabulary = 128}).time.value();
  };
  EXPECT_NEAR(chosen(16), 4.0e-6, 0.8e-6);
  EXPECT_NEAR(chosen(2048), 6.0e-6, 1.2e-6);
  EXPECT_NEAR(chosen(8192), 12.3e-6, 2e-6);
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
