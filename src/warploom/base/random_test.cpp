#include "warploom/base/random.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warploom/base/statistics.h"

namespace warploom {
namespace {

template <class Draw>
std::vector<double> draws(std::size_t count, Draw draw) {
  std::vector<double> values(count);
  for (double& value : values) value = draw();
  return values;
}

// The values written here fix the streams for ever: another platform or a later version must give them too.
TEST(RandomStream, GivesTheSameFirstValuesEverywhere) {
  RandomStream stream(42, "arrivals");
  EXPECT_EQ(stream.next(), 6642537919560998369ULL);
  EXPECT_EQ(stream.next(), 12427149139222896097ULL);
  EXPECT_EQ(stream.next(), 3239260006339800288ULL);
  RandomStream other(7, "lengths");
  EXPECT_EQ(other.integer(0, 999), 261);
  EXPECT_EQ(other.integer(0, 999), 504);
  EXPECT_EQ(other.integer(-5, 5), -2);
}

TEST(RandomStream, SeparatesStreamsByNameAndSeed) {
  RandomStream a(1, "a");
  RandomStream same(1, "a");
  RandomStream b(1, "b");
  RandomStream reseeded(2, "a");
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, same.next());
  EXPECT_NE(first, b.next());
  EXPECT_NE(first, reseeded.next());
}

// Tolerances are five standard errors of 200,000 draws.
TEST(RandomStream, HasTheMomentsOfItsDistributions) {
  constexpr std::size_t kCount = 200'000;
  const double standard_error = 1.0 / std::sqrt(static_cast<double>(kCount));
  RandomStream stream(3, "moments");
  const auto uniform = draws(kCount, [&] { return stream.uniform(2, 4); });
  EXPECT_NEAR(mean(uniform), 3.0, 5 * standard_error / std::sqrt(3.0));
  EXPECT_NEAR(standard_deviation(uniform), 1.0 / std::sqrt(3.0), 5 * standard_error);
  const auto exponential = draws(kCount, [&] { return stream.exponential(2.0); });
  EXPECT_NEAR(mean(exponential), 2.0, 10 * standard_error);
  EXPECT_NEAR(standard_deviation(exponential), 2.0, 20 * standard_error);
  const auto normal = draws(kCount, [&] { return stream.normal(-1.0, 3.0); });
  EXPECT_NEAR(mean(normal), -1.0, 15 * standard_error);
  EXPECT_NEAR(standard_deviation(normal), 3.0, 15 * standard_error);
  for (const double shape : {0.3, 1.0, 4.5}) {
    const auto gamma = draws(kCount, [&] { return stream.gamma(shape, 2.0); });
    EXPECT_NEAR(mean(gamma), 2.0 * shape, 10 * std::sqrt(shape) * standard_error) << "shape " << shape;
    EXPECT_NEAR(standard_deviation(gamma), 2.0 * std::sqrt(shape), 0.05 * std::sqrt(shape))
        << "shape " << shape;
  }
}

TEST(RandomStream, DrawsEveryIntegerEquallyOften) {
  RandomStream stream(5, "die");
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) ++seen[static_cast<std::size_t>(stream.integer(1, 6) - 1)];
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 5 * std::sqrt(10'000.0));
}

TEST(RandomStream, CoversTheWholeIntegerRange) {
  RandomStream stream(5, "wide");
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) {
    const std::int64_t draw =
        stream.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    (draw < 0 ? negative : positive) = true;
  }
  EXPECT_TRUE(negative && positive);
  EXPECT_EQ(stream.integer(9, 9), 9);
}

RC_GTEST_PROP(RandomStream, StaysInsideItsRange,
              (std::uint64_t seed, std::int16_t low, std::uint16_t width)) {
  RandomStream stream(seed, "range");
  const std::int64_t drawn = stream.integer(low, low + width);
  RC_ASSERT(drawn >= low);
  RC_ASSERT(drawn <= low + width);
  const double uniform = stream.uniform();
  RC_ASSERT(uniform >= 0.0);
  RC_ASSERT(uniform < 1.0);
  RC_ASSERT(stream.exponential(1.0) >= 0.0);
  RC_ASSERT(std::isfinite(stream.normal(0.0, 1.0)));
}

RC_GTEST_PROP(RandomStream, ShufflesWithoutLoss, (std::uint64_t seed, std::uint8_t count)) {
  std::vector<std::size_t> items(count);
  std::iota(items.begin(), items.end(), std::size_t{0});
  RandomStream(seed, "shuffle").shuffle(items);
  std::sort(items.begin(), items.end());
  for (std::size_t i = 0; i < items.size(); ++i) RC_ASSERT(items[i] == i);
}

}  // namespace
}  // namespace warploom
