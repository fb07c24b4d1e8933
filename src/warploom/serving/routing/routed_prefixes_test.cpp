#include "warploom/serving/routing/routed_prefixes.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

constexpr SimTime at(std::int64_t seconds) { return SimTime(seconds * 1'000'000'000); }

TEST(RoutedPrefixes, KnowWhatWentWhereFromTheStartOfThePrompt) {
  RoutedPrefixes routed{SimDuration()};
  const std::vector<std::uint64_t> prompt{11, 12, 13}, other{11, 99, 13};
  EXPECT_EQ(routed.known(1, prompt, at(0)), 0u);
  routed.add(1, prompt, at(0));
  EXPECT_EQ(routed.known(1, prompt, at(1'000'000)), 3u);
  EXPECT_EQ(routed.known(1, other, at(0)), 1u);
  EXPECT_EQ(routed.known(0, prompt, at(0)), 0u);
  routed.forget(1);
  EXPECT_EQ(routed.known(1, prompt, at(0)), 0u);
}

TEST(RoutedPrefixes, ForgetWhatIsOlderThanTheirMemory) {
  RoutedPrefixes routed{SimDuration(120'000'000'000)};
  const std::vector<std::uint64_t> prompt{11, 12, 13}, start{11};
  routed.add(0, prompt, at(0));
  EXPECT_EQ(routed.known(0, prompt, at(120)), 3u);
  routed.add(0, start, at(100));
  EXPECT_EQ(routed.known(0, prompt, at(121)), 1u);
  for (std::uint64_t i = 100; i < 20'000; ++i) routed.add(0, std::vector<std::uint64_t>{i}, at(1000));
  EXPECT_EQ(routed.known(0, start, at(1000)), 0u);
  EXPECT_EQ(routed.known(0, std::vector<std::uint64_t>{19'999}, at(1000)), 1u);
}

}  // namespace
}  // namespace warploom
