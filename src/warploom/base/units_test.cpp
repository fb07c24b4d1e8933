#include "warploom/base/units.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <type_traits>

namespace warploom {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

TEST(Units, RefusesToMixDimensionsAtCompileTime) {
  static_assert(Addable<Seconds, Seconds>);
  static_assert(!Addable<Seconds, Bytes>);
  static_assert(!Addable<Seconds, double>);
  static_assert(!std::is_convertible_v<double, Seconds>);
  static_assert(std::is_constructible_v<Seconds, double>);
}

TEST(Units, DividesToTheRightDimension) {
  static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
  static_assert(std::is_same_v<decltype(Flop(1) / Seconds(1)), FlopPerSecond>);
  static_assert(std::is_same_v<decltype(Seconds(1) / Seconds(1)), double>);
  EXPECT_DOUBLE_EQ((gigabytes(2) / gigabytes_per_second(4)).value(), 0.5);
  EXPECT_DOUBLE_EQ((Flop(3e12) / teraflops(1)).value(), 3.0);
  EXPECT_DOUBLE_EQ((gigabytes_per_second(3) * Seconds(2)).value(), 6e9);
  EXPECT_DOUBLE_EQ((teraflops(2) * milliseconds(1)).value(), 2e9);
}

TEST(Units, CountsGigabytesByThousandsAndGibibytesByPowersOfTwo) {
  EXPECT_DOUBLE_EQ(gigabytes(1).value(), 1e9);
  EXPECT_DOUBLE_EQ(gibibytes(1).value(), 1073741824.0);
  EXPECT_DOUBLE_EQ(gigabytes_per_second(1).value(), 1e9);
  EXPECT_DOUBLE_EQ(megahertz(1).value(), 1e6);
}

TEST(Units, ComparesAndAccumulates) {
  Seconds total;
  total += microseconds(3);
  total -= microseconds(1);
  total *= 2;
  EXPECT_DOUBLE_EQ(to_microseconds(total), 4.0);
  EXPECT_LT(microseconds(1), milliseconds(1));
  EXPECT_EQ(Seconds(1), Seconds(1));
}

RC_GTEST_PROP(Units, ConvertsThereAndBack, ()) {
  const double value = *rc::gen::inRange(-1'000'000, 1'000'000) / 7.0;
  const auto close = [&](double other) { return std::abs(other - value) <= 1e-15 * std::abs(value) * 4; };
  RC_ASSERT(close(to_microseconds(microseconds(value))));
  RC_ASSERT(close(to_milliseconds(milliseconds(value))));
  RC_ASSERT(close(to_gigabytes(gigabytes(value))));
  RC_ASSERT(close(to_gibibytes(gibibytes(value))));
}

}  // namespace
}  // namespace warploom
