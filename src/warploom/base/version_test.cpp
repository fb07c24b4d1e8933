#include "warploom/base/version.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(CompareVersions, OrdersByNumbers) {
  EXPECT_LT(compare_versions("0.9.1", "0.14.0"), 0);
  EXPECT_GT(compare_versions("1.3.0rc20", "1.3.0rc10"), 0);
  EXPECT_EQ(compare_versions("1.2", "1.2"), 0);
}

}  // namespace
}  // namespace warploom
