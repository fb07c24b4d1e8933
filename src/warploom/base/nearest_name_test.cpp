#include "warploom/base/nearest_name.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

const std::vector<std::string> kNames{"H100-SXM", "H100-PCIe", "H200", "A100-SXM4-80GB", "MI300X"};

TEST(NearestName, IgnoresCaseAndSeparators) {
  EXPECT_EQ(nearest_names("h100 sxm", kNames).front(), "H100-SXM");
  EXPECT_EQ(nearest_names("a100_sxm4_80gb", kNames).front(), "A100-SXM4-80GB");
}

TEST(NearestName, PutsAContainingNameFirst) {
  const std::vector<std::string> nearest = nearest_names("H100", kNames);
  ASSERT_GE(nearest.size(), 2U);
  EXPECT_EQ(nearest[0].substr(0, 2), "H1");
  EXPECT_LE(nearest.size(), 3U);
}

TEST(NearestName, CorrectsATypingError) {
  EXPECT_EQ(nearest_names("MI30X", kNames, 1), std::vector<std::string>{"MI300X"});
}

TEST(NearestName, LeavesOutNamesThatShareNothing) {
  EXPECT_TRUE(nearest_names("zzzzzzzzzz", kNames).empty());
  EXPECT_TRUE(nearest_names("", kNames).empty());
  EXPECT_TRUE(nearest_names("--", kNames).empty());
  EXPECT_TRUE(nearest_names("H100", {}).empty());
}

TEST(NearestName, ObeysTheCount) {
  EXPECT_EQ(nearest_names("H100", kNames, 1).size(), 1U);
  EXPECT_TRUE(nearest_names("H100", kNames, 0).empty());
}

TEST(NearestName, OfAVeryLongNameIsFoundAtOnce) {
  const std::string longest(10'000'000, 'x');
  EXPECT_TRUE(nearest_names(longest, kNames).empty());
  EXPECT_EQ(nearest_names(longest + "h100_sxm", {{"H100-SXM"}}).size(), 1U);
}

TEST(DidYouMean, IsEmptyWhenNothingIsClose) { EXPECT_EQ(did_you_mean("zzzzzzzz", kNames), ""); }

TEST(DidYouMean, ListsTheNamesWithOrBeforeTheLast) {
  EXPECT_EQ(did_you_mean("M1300X", {{"MI300X"}}), " (did you mean 'MI300X'?)");
  EXPECT_EQ(did_you_mean("colour", {{"color", "colours"}}), " (did you mean 'colours' or 'color'?)");
}

}  // namespace
}  // namespace warploom
