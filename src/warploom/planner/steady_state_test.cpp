// The test of a steady state on series that are known: arrivals and stays drawn from closed forms.
#include "warploom/planner/steady_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "warploom/base/random.h"

namespace warploom {
namespace {

constexpr double kRate = 40;  // requests/s

// `seconds` of Poisson arrivals; a request that comes at t stays life(t).
std::vector<Stay> stays_at(double seconds, const std::function<double(double)>& life,
                           std::uint64_t seed = 1) {
  RandomStream random(seed, "stays");
  std::vector<Stay> stays;
  for (double time = random.gamma(1, 1 / kRate); time < seconds; time += random.gamma(1, 1 / kRate))
    stays.push_back({time, time + life(time)});
  return stays;
}

// Stays at a server that turns out `share` of what comes, after two seconds of work: what is late piles up.
std::vector<Stay> overloaded(double seconds, double share, std::uint64_t seed = 1) {
  return stays_at(
      seconds, [=](double time) { return 2 + time * (1 / share - 1); }, seed);
}

TEST(StudentT, IsTheTabledQuantile) {
  EXPECT_NEAR(student_t(kNormal95, 3), 2.353, 0.01);
  EXPECT_NEAR(student_t(kNormal90, 4), 1.533, 0.005);
  EXPECT_NEAR(student_t(kNormal995, 5), 4.032, 0.02);
  EXPECT_NEAR(student_t(kNormal995, 18), 2.878, 0.002);
}

TEST(WarmUp, IsWhereTheClimbEnds) {
  std::vector<double> series;
  for (int i = 0; i < 400; ++i) series.push_back(100 * (1 - std::exp(-i / 20.0)) + (i % 7));
  const std::size_t cut = warm_up_of(series);
  EXPECT_EQ(cut % 5, 0U);
  EXPECT_GE(cut, 40U);
  EXPECT_LE(cut, 160U);
  EXPECT_EQ(warm_up_of(std::vector<double>(400, 3.0)), 0U);
  EXPECT_EQ(warm_up_of(std::vector<double>(4, 3.0)), 0U);
}

TEST(Slope, HasItsClosedForm) {
  const Slope line = slope_of(std::vector<double>{1, 3, 5, 7});
  EXPECT_DOUBLE_EQ(line.per_step, 2);
  EXPECT_NEAR(line.error, 0, 1e-12);
  // By hand: the line through 0, 1, 0 is flat, its rest sqrt(2/3), over the spread of 2.
  EXPECT_NEAR(slope_of(std::vector<double>{0, 1, 0}).error, std::sqrt(2.0 / 3 / 1 / 2), 1e-12);
}

TEST(Steadiness, ASteadyQueueIsSteadyAndItsWarmUpIsCutOff) {
  const SteadyTest test = test_steadiness(stays_at(100, [](double) { return 2; }));
  EXPECT_EQ(test.verdict, Steadiness::Steady);
  EXPECT_GT(test.lives, 20);
  EXPECT_LE(test.growth_low, 0.001);
  EXPECT_LE(test.growth_high, kSteadyGrowth);
}

TEST(Steadiness, AnOverloadedOneGrows) {
  const SteadyTest test = test_steadiness(overloaded(200, 0.8));
  EXPECT_EQ(test.verdict, Steadiness::Growing);
  EXPECT_NEAR(test.growth, 0.2, 0.05);
}

TEST(Steadiness, OneThatGrowsSlowlyIsNeverCalledSteady) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SteadyTest test = test_steadiness(overloaded(400, 0.96, seed));
    EXPECT_TRUE(test.verdict == Steadiness::Growing || test.verdict == Steadiness::Unsettled) << seed;
    EXPECT_GT(test.growth, 0) << seed;
  }
}

TEST(Steadiness, OneThatSwingsIsSteadyWhereTheRunHoldsManySwings) {
  const auto swings = [](double time) { return 2 + std::sin(time / 3); };
  EXPECT_EQ(test_steadiness(stays_at(400, swings)).verdict, Steadiness::Steady);
}

TEST(Steadiness, SaysNothingOfFewLives) {
  EXPECT_EQ(test_steadiness(stays_at(8, [](double) { return 2; })).verdict, Steadiness::TooShort);
  EXPECT_EQ(test_steadiness({}).verdict, Steadiness::TooShort);
}

TEST(Steadiness, ASlowWayToAPlateauIsNotCalledGrowthTooEarly) {
  const auto climbs = [](double time) { return 2 * (1 - 0.6 * std::exp(-time / 6)); };
  for (double seconds = 4; seconds < 20; seconds += 2)
    EXPECT_NE(test_steadiness(stays_at(seconds, climbs)).verdict, Steadiness::Growing) << seconds;
  EXPECT_EQ(test_steadiness(stays_at(120, climbs)).verdict, Steadiness::Steady);
}

// Hardly one of a hundred steady runs is called growing, and no overloaded one steady.
TEST(Steadiness, ErrsSeldom) {
  int growing = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    growing += test_steadiness(stays_at(
                                   60, [](double) { return 2; }, seed))
                   .verdict == Steadiness::Growing;
    EXPECT_NE(test_steadiness(overloaded(60, 0.85, seed)).verdict, Steadiness::Steady) << seed;
  }
  EXPECT_LE(growing, 3);
}

TEST(SectionError, IsThatOfTheMeanForIndependentBatches) {
  const std::vector<double> batches{1, 2, 3, 4, 5};
  EXPECT_NEAR(section_error(3, batches), std::sqrt(2.5 / 5), 1e-12);
}

}  // namespace
}  // namespace warploom
