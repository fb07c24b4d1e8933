#include "warploom/app/plan/steady_runs.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(SteadyRuns, ACrowdLeavesTheHalfThatIsLookedAtToTheLoad) {
  EXPECT_EQ(crowd_of(256, 4000), 256U);
  EXPECT_EQ(crowd_of(2000, 4000), 2000U);
  EXPECT_EQ(crowd_of(2001, 4000), 500U);
  EXPECT_EQ(crowd_of(16384, 4000), 500U);
}

}  // namespace
}  // namespace warploom
