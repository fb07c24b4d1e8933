#include "warploom/kernels/step_sampling.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

Seconds sampled(std::int64_t sequences, std::int64_t vocabulary) {
  LatencyEstimate answer{.p10 = microseconds(1), .p50 = microseconds(2), .p90 = microseconds(4)};
  price_step_sampling(Sampling{.sequences = sequences, .vocabulary = vocabulary}, true, answer);
  return answer.p50;
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

TEST(StepSampling, SaysWhereItWasMeasured) {
  LatencyEstimate here, elsewhere;
  price_step_sampling(Sampling{}, true, here);
  price_step_sampling(Sampling{}, false, elsewhere);
  EXPECT_EQ(here.tier, Tier::Measured);
  EXPECT_EQ(elsewhere.tier, Tier::CrossGpu);
  EXPECT_LT(here.p10, here.p50);
  EXPECT_LT(here.p50, here.p90);
}

}  // namespace
}  // namespace warploom
