#include "warploom/base/counted.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(Counted, OneIsSingularAndThousandsAreApart) {
  EXPECT_EQ(counted(0, "file"), "0 files");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(2, "GPU"), "2 GPUs");
  EXPECT_EQ(counted(1'234'567, "run"), "1,234,567 runs");
  EXPECT_EQ(count_text(-1234), "-1,234");
}

}  // namespace
}  // namespace warploom
