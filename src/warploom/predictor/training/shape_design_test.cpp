#include "warploom/predictor/training/shape_design.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace warploom {
namespace {

// Shapes on a line, each a row of one kernel.
std::vector<DesignRow> line(std::uint32_t shapes, const KernelCode& code) {
  std::vector<DesignRow> rows;
  for (std::uint32_t s = 0; s < shapes; ++s) rows.push_back({{float(s), 3.0F}, code, s});
  return rows;
}

TEST(ShapeDesign, MeasuresTheMiddleFirstAndThenBothSides) {
  const auto rows = line(61, {});
  const auto chosen = design_shapes(rows, 61, 3);
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_NEAR(double(chosen[0]), 30, 10);
  const std::set<std::uint32_t> ordered(chosen.begin(), chosen.end());
  ASSERT_EQ(ordered.size(), 3U);
  EXPECT_LT(*ordered.begin(), 22U);
  EXPECT_GT(*ordered.rbegin(), 38U);
}

TEST(ShapeDesign, AShapeOfManyKernelsIsWorthMore) {
  std::vector<DesignRow> rows = line(40, {0, 0, 0, 1});
  for (float framework = 1; framework < 4; ++framework) rows.push_back({{33, 3}, {framework, 0, 0, 1}, 33});
  EXPECT_EQ(design_shapes(rows, 40, 1).front(), 33U);
}

TEST(ShapeDesign, AKernelWithManyRowsComesBeforeARareOne) {
  std::vector<DesignRow> rows = line(40, {0, 0, 0, 1});
  rows.push_back({{20, 3}, {0, 0, 0, 2}, 40});  // another kind, at one shape of its own
  const auto chosen = design_shapes(rows, 41, 4);
  for (const std::uint32_t shape : chosen) EXPECT_NE(shape, 40U);
  EXPECT_EQ(design_shapes(rows, 41, 41).size(), 41U);
}

// The first choice has the largest sum of squared covariances over its variance with noise, worked out here.
TEST(ShapeDesign, TheFirstChoiceIsTheArgmaxOfTheDefinition) {
  std::vector<DesignRow> rows;
  for (const float at : {0.0F, 0.1F, 0.3F, 1.0F, 4.0F, 4.1F, 9.0F})
    rows.push_back({{at}, {0, 0, rows.size() < 4 ? 0.0F : 1.0F, 0}, std::uint32_t(rows.size())});
  double mean = 0, squares = 0;
  for (const DesignRow& row : rows) {
    mean += double(row.features[0]) / double(rows.size());
    squares += double(row.features[0]) * double(row.features[0]) / double(rows.size());
  }
  const double unit = 0.5 * std::sqrt(squares - mean * mean);
  std::uint32_t best = 0;
  double most = -1;
  for (const DesignRow& row : rows) {
    double sum = 0, variance = 0;
    for (const DesignRow& other : rows) {
      const double apart = double(row.features[0] - other.features[0]) / unit;
      const double covariance =
          0.05 * 0.05 + kriging_covariance(row.code, other.code, std::exp(-0.5 * apart * apart));
      sum += covariance * covariance;
      if (row.shape == other.shape) variance = covariance + 0.14 * 0.14;
    }
    if (sum / variance <= most) continue;
    most = sum / variance;
    best = row.shape;
  }
  EXPECT_EQ(design_shapes(rows, std::uint32_t(rows.size()), 1).front(), best);
}

TEST(ShapeDesign, SaysNothingOfNoRows) { EXPECT_TRUE(design_shapes({}, 0, 5).empty()); }

}  // namespace
}  // namespace warploom
