#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/tuner/internal/candidate_errors.h"
#include "warploom/tuner/internal/expected_gain.h"
#include "warploom/tuner/internal/sector_limit.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/two_tiles_test.h"

namespace warploom {
namespace {

constexpr TileConfig kWide{64, 128, 64, 4, 3, 1}, kSameGrid{64, 128, 32, 4, 3, 1},
    kOther{128, 64, 64, 4, 3, 1};

TEST(ExpectedGain, IsThatOfANormalErrorWhereOneIsTimed) {
  const std::vector<EstimatedTile> estimates{{kWide, 1.0}, {kOther, 1.05}};
  const TimedEstimate timed{.place = 0, .log_us = 1.1};
  const CandidateErrors& errors = candidate_errors();
  const double shared = errors.shape * errors.shape;
  const double all = shared + errors.tile * errors.tile + errors.config * errors.config;
  const double mean = 1.05 + shared / all * 0.1, deviation = std::sqrt(all - shared * shared / all);
  const double z = (1.1 - mean) / deviation;
  const double expected = deviation * (z * 0.5 * std::erfc(-z / std::sqrt(2.0)) +
                                       std::exp(-0.5 * z * z) / std::sqrt(2 * std::acos(-1.0)));
  const std::vector<double> gains = expected_gains(estimates, {&timed, 1});
  EXPECT_EQ(gains[0], 0) << "what was timed gains nothing";
  EXPECT_NEAR(gains[1], expected, 1e-12);
}

TEST(CandidateErrors, AreBuiltInWithTheirFit) {
  const CandidateErrors& errors = candidate_errors();
  for (const double one : {errors.shape, errors.tile, errors.config}) {
    EXPECT_GT(one, 0.01);
    EXPECT_LT(one, 0.3);
  }
  EXPECT_GT(errors.between_sectors.row_us, 0);
  EXPECT_GT(errors.between_sectors.byte_us, 0);
  EXPECT_GE(errors.between_sectors.sharpness, 1);
}

TEST(SectorLimit, IsOfBytesWhoseRowsStartBetweenSectors) {
  TileKernel fp8{.operand_bytes = 1};
  EXPECT_TRUE(between_sectors(fp8, {512, 4096, 6096}));
  EXPECT_FALSE(between_sectors(fp8, {512, 4096, 6112})) << "whole sectors";
  EXPECT_FALSE(between_sectors(fp8, {512, 4096, 6095})) << "narrow loads, which the table knows";
  EXPECT_FALSE(between_sectors({.operand_bytes = 2}, {512, 4096, 6096}));
  EXPECT_FALSE(between_sectors({.kind = TileKernelKind::Attention, .operand_bytes = 1}, {512, 4096, 6096}));
}

// 367 x 10272 x 6096 in fp8 on an H200: 75 us measured of tiles that formulas give 67.6 us, 65 us of wider
// ones whose loads leave time.
TEST(SectorLimit, ShortTimesNearThatOfTheirLoadsAndLongOnesStay) {
  const TileGpu gpu;
  const TileShape shape{367, 10272, 6096};
  const TileConfig narrow{128, 128, 128, 4, 3, 1}, wide{128, 256, 128, 8, 3, 1};
  const double of_narrow = limited_us(gpu, shape, narrow, 67.6), of_wide = limited_us(gpu, shape, wide, 77.3);
  EXPECT_LT(std::abs(of_narrow - 75), 75 - 67.6) << "nearer than without";
  EXPECT_LT(of_wide, 77.3 * 1.03);
  EXPECT_LT(std::abs(std::log(of_narrow / of_wide)), 0.03) << "no longer 13 % apart";
  for (const TileConfig& config : {narrow, wide}) {
    double before = 0;
    for (const double us : {1.0, 20.0, 50.0, 100.0, 1000.0}) {
      const double limited = limited_us(gpu, shape, config, us);
      EXPECT_GE(limited, us);
      EXPECT_GE(limited, before);
      before = limited;
    }
    EXPECT_NEAR(limited_us(gpu, shape, config, 1000), 1000, 1);
  }
}

TEST(ExpectedGain, FallsForTheGridThatWasSlowerThanThought) {
  const std::vector<EstimatedTile> estimates{{kWide, 1.0}, {kSameGrid, 1.02}, {kOther, 1.02}};
  const TimedEstimate slow{.place = 0, .log_us = 1.1}, fast{.place = 0, .log_us = 0.9};
  const std::vector<double> after_slow = expected_gains(estimates, {&slow, 1});
  const std::vector<double> after_fast = expected_gains(estimates, {&fast, 1});
  EXPECT_GT(after_slow[2], after_slow[1]);
  EXPECT_LT(after_fast[2], after_slow[2]) << "what is fast already is hard to beat";
}

TEST(ExpectedGain, IsNoneWhereAllWasTimed) {
  const std::vector<EstimatedTile> estimates{{kWide, 1.0}, {kSameGrid, 1.0}, {kOther, 1.0}};
  const std::vector<TimedEstimate> timed{{0, 1.0}, {1, 1.1}, {2, 0.9}};
  for (const double gain : expected_gains(estimates, timed)) EXPECT_EQ(gain, 0);
}

const RuntimeTable& table() {
  static const RuntimeTable table = RuntimeTable::build(fit_wave_model({}, {}, two_tile_samples()));
  return table;
}

// A shape at which both tiles are predicted within a few percent.
TileShape close_shape() {
  for (std::int64_t m = 64; m < 8192; m += 64) {
    const std::vector<TilePick> both = table().best({m, 4096, 1024}, 2);
    if (both[1].predicted_us < both[0].predicted_us * 1.05F) return {m, 4096, 1024};
  }
  return {};
}

TEST(NextToTime, AsksForThePickFirstAndEachConfigurationOnce) {
  const TileShape shape = close_shape();
  std::vector<TimedTile> timed;
  const auto first = table().next_to_time(shape, timed);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->index, table().pick(shape).index);
  timed.push_back({first->config, double(first->predicted_us) * 1.1});
  const auto second = table().next_to_time(shape, timed);
  ASSERT_TRUE(second);
  EXPECT_NE(second->index, first->index);
  timed.push_back({second->config, double(second->predicted_us)});
  EXPECT_FALSE(table().next_to_time(shape, timed));
}

TEST(NextToTime, EndsWhereNothingIsWorthIt) {
  const std::vector<TilePick> both = table().best(close_shape(), 2);
  EXPECT_TRUE(table().next_to_time(close_shape(), std::vector<TimedTile>{{both[0].config, 1e3}}));
  // The other tile is more than unsure there, and the pick far faster than any.
  const TileShape apart{777, 2048, 1024};
  const TilePick pick = table().pick(apart);
  ASSERT_GT(table().best(apart, 2)[1].predicted_us, pick.predicted_us * (1 + kUnsure));
  EXPECT_FALSE(table().next_to_time(apart, std::vector<TimedTile>{{pick.config, 1e-3}}));
}

TEST(NextToTime, GoesOnBehindAPickThatDoesNotRun) {
  const std::vector<TilePick> both = table().best(close_shape(), 2);
  const double never = std::numeric_limits<double>::infinity();
  const auto next = table().next_to_time(close_shape(), std::vector<TimedTile>{{both[0].config, never}});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->index, both[1].index);
  EXPECT_FALSE(table().next_to_time(
      close_shape(), std::vector<TimedTile>{{both[0].config, never}, {both[1].config, never}}));
}

TEST(NextToTime, RefusesAShapeOutOfRange) {
  EXPECT_THROW(table().next_to_time({0, 64, 64}, {}), InvalidInput);
}

}  // namespace
}  // namespace warploom
