#include "warploom/kernels/widen.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warploom {
namespace {

LatencyEstimate about_ten() {
  return {.p10 = microseconds(10 * std::exp(-0.3)),
          .p50 = microseconds(10),
          .p90 = microseconds(10 * std::exp(0.3)),
          .physical_bound = microseconds(6.5)};
}

TEST(Widen, AddsSquaresAndStaysAboveTheBound) {
  LatencyEstimate estimate = about_ten();
  widen(estimate, 0.4);
  EXPECT_EQ(estimate.p50, microseconds(10));
  EXPECT_NEAR(std::log(estimate.p90 / estimate.p50), 0.5, 1e-12);
  EXPECT_EQ(estimate.p10, microseconds(6.5));
  widen(estimate, 0);
  EXPECT_NEAR(std::log(estimate.p90 / estimate.p50), 0.5, 1e-12);
}

TEST(Widen, BySeconds) {
  LatencyEstimate estimate{.p10 = microseconds(7), .p50 = microseconds(10), .p90 = microseconds(13)};
  widen_by(estimate, microseconds(4), microseconds(0));
  EXPECT_NEAR(to_microseconds(estimate.p10), 5, 1e-9);
  EXPECT_NEAR(to_microseconds(estimate.p90), 13, 1e-9);
}

}  // namespace
}  // namespace warploom
