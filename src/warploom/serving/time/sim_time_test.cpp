#include "warploom/serving/time/sim_time.h"

#include <gtest/gtest.h>

#include <limits>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(SimTime, TakesTimesUpToTheEndOfItsRange) {
  EXPECT_EQ(to_sim_duration(Seconds(1.5e-9)).nanoseconds(), 2);
  EXPECT_EQ(to_sim_duration(Seconds(-9e9)).nanoseconds(), -9'000'000'000'000'000'000);
  EXPECT_EQ(to_sim_time(Seconds(1e9)).nanoseconds(), 1'000'000'000'000'000'000);
}

TEST(SimTime, RefusesTimesBeyondItsRange) {
  for (const double seconds : {9.3e9, -1e10, 1e300, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(to_sim_duration(Seconds(seconds)), InvalidInput) << seconds;
    EXPECT_THROW(to_sim_time(Seconds(seconds)), InvalidInput) << seconds;
  }
}

TEST(SimTime, RefusesSumsBeyondItsRange) {
  const SimDuration half = to_sim_duration(Seconds(6e9));
  EXPECT_THROW(half + half, InvalidInput);
  EXPECT_THROW(to_sim_time(Seconds(6e9)) + half, InvalidInput);
  SimDuration sum = half;
  EXPECT_THROW(sum += half, InvalidInput);
  EXPECT_EQ((half - half).nanoseconds(), 0);
}

}  // namespace
}  // namespace warploom
