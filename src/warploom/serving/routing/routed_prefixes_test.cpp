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

TEST(RoutedPrefixes, KeepTheNewerHalfWhereThereIsNoRoom) {
  RoutedPrefixes routed{SimDuration(), 8};
  for (std::uint64_t i = 1; i <= 8; ++i) routed.add(0, std::vector<std::uint64_t>{i}, at(std::int64_t(i)));
  EXPECT_EQ(routed.known(0, std::vector<std::uint64_t>{1}, at(8)), 1u);
  routed.add(0, std::vector<std::uint64_t>{9}, at(9));  // the ninth: 1 to 5 go
  EXPECT_EQ(routed.known(0, std::vector<std::uint64_t>{5}, at(9)), 0u);
  EXPECT_EQ(routed.known(0, std::vector<std::uint64_t>{6, 7, 8, 9}, at(9)), 4u);
}

}  // namespace
}  // namespace warploom
