#include "warploom/kernels/size_range.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(SizeRange, MeasuresDistanceInWidthsOfOctaves) {
  const SizeRange range{16, 256};
  EXPECT_EQ(widths_outside(range, 16), 0);
  EXPECT_EQ(widths_outside(range, 256), 0);
  EXPECT_DOUBLE_EQ(widths_outside(range, 1024), 0.5);
  EXPECT_DOUBLE_EQ(widths_outside(range, 1), 1);
  EXPECT_DOUBLE_EQ(widths_outside({8, 8}, 16), 1) << "a range of less than an octave counts as one";
}

}  // namespace
}  // namespace warploom
