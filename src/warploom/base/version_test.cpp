#include "warploom/base/version.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warploom {
namespace {

TEST(CompareVersions, OrdersByNumbers) {
  EXPECT_LT(compare_versions("0.9.1", "0.14.0"), 0);
  EXPECT_GT(compare_versions("1.3.0rc20", "1.3.0rc10"), 0);
  EXPECT_EQ(compare_versions("1.2", "1.2"), 0);
}

TEST(VersionPosition, GrowsWithTheVersion) {
  EXPECT_LT(version_position("0.9.1"), version_position("0.14.0"));
  EXPECT_LT(version_position("1.3.0rc20"), version_position("1.3.0rc23"));
  EXPECT_LT(version_position("0.5.9"), version_position("0.5.10"));
  const double asked = version_position("0.24.0");
  EXPECT_LT(std::abs(version_position("0.25.0") - asked), std::abs(version_position("0.22.9") - asked));
  EXPECT_LT(version_position("dev-1aa0e962"), 0);
  EXPECT_LT(version_position(""), 0);
}

}  // namespace
}  // namespace warploom
