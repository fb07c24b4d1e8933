#include "warploom/measurements/repeat_noise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "warploom/base/random.h"

namespace warploom {
namespace {

// Normal noise of 2 %: a perfect prediction errs by 0.798 of it in the mean and by 0.674 in the median.
TEST(RepeatNoise, IsTheErrorOfAPerfectPrediction) {
  RandomStream random(4, "noise");
  RepeatNoiseCounter counter;
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
  };
  for (int i = 0; i < 20000; ++i) {
    const double truth = std::exp(random.uniform(-10, -5));
    const std::array rows{truth * std::exp(0.02 * normal()), truth * std::exp(0.02 * normal())};
    counter.add(Family::Moe, rows);
  }
  const auto summary = counter.summary();
  ASSERT_EQ(summary.size(), 1u);
  EXPECT_EQ(summary[0].family, Family::Moe);
  EXPECT_EQ(summary[0].rows, 40000u);
  EXPECT_NEAR(summary[0].mean, 0.02 * 0.798, 0.02 * 0.02);
  EXPECT_NEAR(summary[0].median, 0.02 * 0.674, 0.02 * 0.02);
}

TEST(RepeatNoise, NeedsTwoRows) {
  RepeatNoiseCounter counter;
  counter.add(Family::Gemm, std::array{1e-5});
  EXPECT_TRUE(counter.summary().empty());
}

}  // namespace
}  // namespace warploom
