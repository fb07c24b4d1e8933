#include "warploom/ceiling/gap.h"

#include <gtest/gtest.h>

#include "warploom/ceiling/family_ceiling.h"

namespace warploom {
namespace {

TEST(Gap, IsFlaggedAndSavesTimeOnlyBelowTheCeiling) {
  const Ceiling ceiling{.time = Seconds(2e-5), .median_time = Seconds(3e-5), .physical_bound = Seconds(1e-5)};
  const Gap slow = gap_of(ceiling, Seconds(4e-5));
  EXPECT_DOUBLE_EQ(slow.ceiling_efficiency, 0.5);
  EXPECT_DOUBLE_EQ(slow.efficiency, 0.25);
  EXPECT_DOUBLE_EQ(slow.saved.value(), 2e-5);
  EXPECT_TRUE(slow.flagged());
  EXPECT_FALSE(slow.above);
  const Gap near = gap_of(ceiling, Seconds(2.2e-5));
  EXPECT_FALSE(near.flagged()) << "0.045 below";
  EXPECT_GT(near.saved.value(), 0);
  const Gap fast = gap_of(ceiling, Seconds(1.9e-5));
  EXPECT_TRUE(fast.above);
  EXPECT_FALSE(fast.flagged());
  EXPECT_DOUBLE_EQ(fast.saved.value(), 0);
}

TEST(FamilyCeiling, QuantilesLieBetweenTheTables) {
  FamilyCeiling ceiling;
  for (std::size_t i = 0; i < kCeilingQuantiles; ++i) ceiling.z[i] = float(i);
  EXPECT_DOUBLE_EQ(ceiling.z_at(kLeastQuantile), 0);
  EXPECT_NEAR(ceiling.z_at(0.8), 30, 1e-5);
  EXPECT_NEAR(ceiling.z_at(0.805), 30.5, 1e-5);
  EXPECT_NEAR(ceiling.z_at(kMostQuantile), 49, 1e-5);
}

}  // namespace
}  // namespace warploom
