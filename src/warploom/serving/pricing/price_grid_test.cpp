#include "warploom/serving/pricing/price_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

TEST(PriceGrid, CoversItsDomainWithoutGaps) {
  const auto points = geometric_points(5000, 64, 32);
  EXPECT_EQ(points.front(), 1);
  EXPECT_EQ(points.back(), 5000);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GT(points[i], points[i - 1]);
    EXPECT_LE(double(points[i] - points[i - 1]), std::max(1.0, double(points[i - 1]) / 31.0));
  }
}

TEST(PriceGrid, FindsWhatASearchFinds) {
  for (const std::vector<std::int64_t>& points :
       {geometric_points(5000, 64, 32), std::vector<std::int64_t>{0, 16, 32, 48, 64, 80, 5000, 5001},
        std::vector<std::int64_t>{1}, std::vector<std::int64_t>{3, 4, 1000000}}) {
    const PriceGrid grid(points);
    for (double value = 0; value < 6000; value += value < 100 ? 0.125 : 0.75) {
      const GridPosition at = grid.locate(value);
      if (value <= double(points.front())) {
        EXPECT_EQ(at.low, 0u);
        EXPECT_EQ(at.weight, 0);
        continue;
      }
      const auto above = std::upper_bound(points.begin(), points.end(), std::int64_t(std::floor(value)));
      ASSERT_EQ(at.low, std::size_t(above - points.begin()) - 1) << value;
      const double low = double(points[at.low]);
      const double found = at.weight == 0 ? low : low + at.weight * (double(points[at.low + 1]) - low);
      EXPECT_NEAR(found, std::min(value, double(points.back())), 1e-6);
    }
  }
}

}  // namespace
}  // namespace warploom
