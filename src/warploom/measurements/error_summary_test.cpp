#include "warploom/measurements/error_summary.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace warploom {
namespace {

void add(ErrorAccumulator& errors, double predicted, double measured, double roofline) {
  errors.add(Seconds(predicted), Seconds(predicted * 0.95), Seconds(predicted * 1.05), Seconds(roofline),
             Seconds(measured));
}

TEST(ErrorSummary, MatchesItsDefinitions) {
  ErrorAccumulator errors;
  add(errors, 1.1, 1.0, 0.5);   // +10 %, outside
  add(errors, 0.98, 1.0, 0.5);  // -2 %, inside
  add(errors, 3.0, 2.0, 1.0);   // +50 %, outside
  const ErrorSummary summary = errors.summary();
  EXPECT_EQ(summary.rows, 3);
  EXPECT_NEAR(summary.mean_error, (0.1 + 0.02 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(summary.median_error, 0.1, 1e-12);
  EXPECT_NEAR(summary.p90_error, 0.1 + 0.8 * 0.4, 1e-12);
  EXPECT_NEAR(summary.bias, (0.1 - 0.02 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(summary.coverage, 1.0 / 3, 1e-12);
  EXPECT_NEAR(summary.roofline_mean_error, 0.5, 1e-12);
}

TEST(ErrorSummary, HasNoFiguresWithoutRows) {
  const ErrorSummary summary = ErrorAccumulator().summary();
  EXPECT_EQ(summary.rows, 0);
  EXPECT_TRUE(std::isnan(summary.mean_error));
  EXPECT_TRUE(std::isnan(summary.coverage));
}

RC_GTEST_PROP(ErrorSummary, OfAMergeIsThatOfAllRows,
              (const std::vector<std::uint8_t>& values, std::uint8_t cut)) {
  ErrorAccumulator all, first, second;
  for (std::size_t i = 0; i < values.size(); ++i) {
    add(all, 1.0 + values[i], 2.0, 1.0);
    add(i < cut ? first : second, 1.0 + values[i], 2.0, 1.0);
  }
  first.merge(second);
  RC_ASSERT(first.size() == all.size());
  if (!values.empty()) {
    RC_ASSERT(first.summary().mean_error == all.summary().mean_error);
    RC_ASSERT(first.summary().p90_error == all.summary().p90_error);
    RC_ASSERT(first.summary().coverage == all.summary().coverage);
  }
}

}  // namespace
}  // namespace warploom
