#include "warploom/predictor/tables/residual_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/predictor/tables/grid_neighbours.h"

namespace warploom {
namespace {

GridPoint gemm_point(std::int64_t m, std::int64_t n, std::int64_t k) {
  return grid_point(Gemm{.m = m, .n = n, .k = k});
}

// Residual 0.1 log2 m in cell 0 over a grid of powers of two, but for m = 64, which was not measured.
std::vector<ResidualTable::Entry> entries() {
  std::vector<ResidualTable::Entry> all;
  for (std::int64_t m = 1; m <= 4096; m *= 2)
    for (std::int64_t n = 256; n <= 4096; n *= 2)
      for (std::int64_t k = 256; k <= 4096; k *= 2)
        if (m != 64) all.push_back({0, gemm_point(m, n, k), 0.1F * std::log2(float(m))});
  return all;
}

const ResidualTable& table() {
  static const ResidualTable instance(entries(), 2);
  return instance;
}

TEST(ResidualTable, FindsWhatWasMeasuredAndNothingElse) {
  for (const ResidualTable::Entry& entry : entries()) {
    const auto found = table().find(PointKey(entry.cell, entry.point));
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, entry.residual, kResidualStep);
    EXPECT_FALSE(table().find(PointKey(1, entry.point)));
  }
  EXPECT_FALSE(table().find(PointKey(0, gemm_point(64, 256, 256))));
  EXPECT_EQ(table().size(), entries().size());
}

TEST(ResidualTable, MakesOneOfRepeatsByTheirMedian) {
  std::vector<ResidualTable::Entry> repeats;
  for (const float residual : {0.1F, 0.2F, 3.0F}) repeats.push_back({0, gemm_point(8, 8, 8), residual});
  const ResidualTable one(repeats, 1);
  EXPECT_EQ(one.size(), 1U);
  EXPECT_NEAR(*one.find(PointKey(0, gemm_point(8, 8, 8))), 0.2, kResidualStep);
}

TEST(ResidualTable, LeavesOutOperatorsThatLieOnNoGrid) {
  AttentionPrefill ragged;
  ragged.requests = {{.count = 1, .query_tokens = 10}, {.count = 1, .query_tokens = 20}};
  EXPECT_EQ(grid_point(ragged).axes, 0U);
  const std::vector<ResidualTable::Entry> one{{0, grid_point(ragged), 0.1F}};
  EXPECT_EQ(ResidualTable(one, 1).size(), 0U);
}

TEST(ResidualTable, GivesBackWhatWasWritten) {
  ByteWriter first, second;
  table().write(first);
  ByteReader in(first.bytes(), "test");
  const ResidualTable again = ResidualTable::read(in);
  again.write(second);
  EXPECT_EQ(first.bytes(), second.bytes());
  EXPECT_EQ(again.find(PointKey(0, gemm_point(2, 256, 256))),
            table().find(PointKey(0, gemm_point(2, 256, 256))));
}

TEST(ResidualTable, TakesAtMostTenBytesARow) {
  ByteWriter out;
  std::vector<ResidualTable::Entry> many;
  for (std::int64_t m = 1; m <= 400; ++m)
    for (std::int64_t n = 1; n <= 50; ++n) many.push_back({0, gemm_point(m, n, 64), 0});
  ResidualTable(many, 1).write(out);
  EXPECT_LT(double(out.bytes().size()) / double(many.size()), 10.0);
}

RC_GTEST_PROP(PointKey, IsTheSameHoweverAPointIsReached, ()) {
  const auto m = *rc::gen::inRange<std::int64_t>(1, 100000), n = *rc::gen::inRange<std::int64_t>(1, 100000),
             to = *rc::gen::inRange<std::int64_t>(1, 100000);
  RC_ASSERT(PointKey(3, gemm_point(m, n, 64)).moved(0, m, to).hash() ==
            PointKey(3, gemm_point(to, n, 64)).hash());
}

TEST(Neighbours, AreFoundAlongEveryAxisAndInterpolate) {
  Neighbours neighbours;
  Guesses guesses;
  find_neighbours(table(), 0, gemm_point(64, 1024, 1024), grid_moves(Family::Gemm), neighbours);
  EXPECT_EQ(neighbours.axis[0].below_count, 3U);
  EXPECT_EQ(neighbours.axis[0].above_count, 3U);
  EXPECT_EQ(neighbours.axis[1].below_count, 0U);  // m = 64 was measured at no n
  make_guesses(neighbours, guesses);
  EXPECT_NEAR(guesses.values[0], 0.6, 0.003);  // between m = 32 and 128
  EXPECT_NEAR(guesses.values[1], 0.6, 0.003);  // the cubic
  EXPECT_NEAR(guesses.values[2], 0.5, 0.001);
  EXPECT_TRUE(std::isnan(guesses.values[kGuessesPerAxis]));
}

TEST(Neighbours, NeverReadThePointItself) {
  std::vector<ResidualTable::Entry> all = entries();
  Neighbours neighbours;
  Guesses before, after;
  const GridPoint point = gemm_point(128, 1024, 1024);  // n = k: exchanging them stays in place
  find_neighbours(table(), 0, point, grid_moves(Family::Gemm), neighbours);
  make_guesses(neighbours, before);
  for (ResidualTable::Entry& entry : all)
    if (entry.point.at == point.at) entry.residual = -5;
  find_neighbours(ResidualTable(all, 2), 0, point, grid_moves(Family::Gemm), neighbours);
  make_guesses(neighbours, after);
  ASSERT_EQ(before.count, after.count);
  for (std::size_t g = 0; g < before.count; ++g)
    EXPECT_TRUE(before.values[g] == after.values[g] ||
                (std::isnan(before.values[g]) && std::isnan(after.values[g])));
}

TEST(Neighbours, WeighTheirGuesses) {
  Guesses guesses;
  guesses.count = 3;
  guesses.values[0] = 1;
  guesses.values[1] = std::nanf("");
  guesses.values[2] = 4;
  const std::vector<float> weights{0.5F, 9, 0.25F};
  EXPECT_NEAR(weigh_guesses(guesses, weights, 7).value, 2, 1e-6);
  guesses.count = 2;
  guesses.values[0] = std::nanf("");
  EXPECT_EQ(weigh_guesses(guesses, weights, 7).value, 7);
}

TEST(GridMoves, KeepWithinTheIntegers) {
  for (const Family family : {Family::Gemm, Family::AttentionPrefill, Family::MlaDecode, Family::Moe})
    for (const GridMove& move : grid_moves(family)) {
      GridPoint odd;
      odd.axes = 6;
      odd.at = {3, 3, 3, 3, 3, 3};
      const bool halves =
          std::any_of(move.doublings.begin(), move.doublings.end(), [](int d) { return d < 0; });
      EXPECT_EQ(apply_move(move, odd), !halves && move.exchange_a < 0);
    }
}

}  // namespace
}  // namespace warploom
