#include "warploom/base/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

TEST(Mean, MatchesTheClosedFormOfAnArithmeticSeries) {
  std::vector<double> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  EXPECT_DOUBLE_EQ(mean(values), 50.5);
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt((100.0 * 100.0 - 1.0) / 12.0));
}

TEST(Mean, IsNotANumberWhenEmpty) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(standard_deviation({})));
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(quantile_of_sorted({}, 0.5)));
}

TEST(Quantile, InterpolatesLinearlyBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.9), 19.0);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.99), 7.0);
}

TEST(Quantile, ReachesTheEnds) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 1.0), 3.0);
}

RC_GTEST_PROP(Quantile, AgreesWithTheSortedForm, (const std::vector<int>& integers)) {
  std::vector<double> values(integers.begin(), integers.end());
  RC_PRE(!values.empty());
  const double fraction = *rc::gen::inRange(0, 1001) / 1000.0;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double result = quantile(values, fraction);
  RC_ASSERT(result == quantile_of_sorted(sorted, fraction));
  RC_ASSERT(result >= sorted.front());
  RC_ASSERT(result <= sorted.back());
}

TEST(Correlation, IsOneOrMinusOneOnALine) {
  const std::vector<double> a{1, 2, 3, 4};
  const std::vector<double> rising{3, 5, 7, 9};
  const std::vector<double> falling{9, 7, 5, 3};
  EXPECT_DOUBLE_EQ(pearson_correlation(a, rising), 1.0);
  EXPECT_DOUBLE_EQ(pearson_correlation(a, falling), -1.0);
  EXPECT_DOUBLE_EQ(spearman_correlation(a, falling), -1.0);
}

TEST(Correlation, OfRanksIgnoresAMonotoneBend) {
  const std::vector<double> a{1, 2, 3, 4, 5};
  const std::vector<double> bent{1, 8, 27, 64, 125};
  EXPECT_DOUBLE_EQ(spearman_correlation(a, bent), 1.0);
  EXPECT_LT(pearson_correlation(a, bent), 1.0);
}

// Without ties Spearman's rho is 1 - 6 sum(d^2) / (n (n^2 - 1)); here d = {-1, 1, 0, 0, 0}.
TEST(Correlation, OfRanksMatchesTheClosedFormWithoutTies) {
  EXPECT_DOUBLE_EQ(
      spearman_correlation(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{2, 1, 3, 4, 5}),
      1.0 - 6.0 * 2.0 / (5.0 * 24.0));
}

// Ranks {0, 1.5, 1.5, 3} against {0, 1, 2, 3}: 4.5 / sqrt(4.5 * 5).
TEST(Correlation, OfRanksGivesTiesTheirMeanRank) {
  EXPECT_DOUBLE_EQ(spearman_correlation(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 2, 3, 4}),
                   4.5 / std::sqrt(4.5 * 5.0));
}

TEST(Correlation, IsNotANumberForConstantsAndSinglePoints) {
  EXPECT_TRUE(std::isnan(pearson_correlation(std::vector<double>{1, 1}, std::vector<double>{1, 2})));
  EXPECT_TRUE(std::isnan(spearman_correlation(std::vector<double>{1}, std::vector<double>{1})));
}

}  // namespace
}  // namespace warploom
