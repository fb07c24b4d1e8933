#include "warploom/predictor/answer/doubt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/answer/log_estimate.h"

namespace warploom {
namespace {

TEST(Doubt, GrowsWithoutAJumpFromTheRangeOutwards) {
  EXPECT_EQ(doubt_outside(0), 0);
  EXPECT_LT(doubt_outside(1e-6), 0.01);
  double last = 0;
  for (double outside = 1e-3; outside < 100; outside *= 2) {
    EXPECT_GT(doubt_outside(outside), last);
    last = doubt_outside(outside);
  }
}

TEST(Doubt, OfIndependentCausesAddsAsSquares) {
  LogEstimate answer{.low = -0.3, .high = 0.4};
  answer.doubt(0);
  EXPECT_DOUBLE_EQ(answer.low, -0.3);
  answer.doubt(0.4);
  EXPECT_DOUBLE_EQ(answer.low, -0.5);
  EXPECT_NEAR(answer.high, 0.4 * std::sqrt(2.0), 1e-12);
}

TEST(Doubt, IsLargestOfGpusUnlikeAllThatWereMeasured) {
  const GpuCatalog catalog;
  FamilyModel model;
  model.gpus.push_back({.name = "h100_sxm", .architecture = 90});
  for (const char* name : {"mi300x", "mi355x", "v100_sxm", "p100", "t4"})
    EXPECT_TRUE(is_unlike_all(model, catalog.get(name))) << name;
  for (const char* name : {"a100_sxm", "a10", "l40s", "h20", "b200_sxm", "rtx_5090"})
    EXPECT_FALSE(is_unlike_all(model, catalog.get(name))) << name;
}

}  // namespace
}  // namespace warploom
