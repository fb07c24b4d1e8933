#include "warploom/serving/batching/rank_balance.h"

#include <gtest/gtest.h>

#include <array>

namespace warploom {
namespace {

constexpr RankLoad kDecodes{.prompts = false, .decodes = true}, kBoth{.prompts = true, .decodes = true},
    kNew{.prompts = true, .decodes = false}, kIdle{};

TEST(RankBalance, PromptsWaitUntilEveryRankHasOneOrTheTimeIsOver) {
  RankBalance balance({.on = true, .timeout_steps = 3, .batching_steps = 0});
  const std::array some{kBoth, kDecodes}, every{kBoth, kBoth};
  EXPECT_TRUE(balance.prompts_wait(some));
  EXPECT_TRUE(balance.prompts_wait(some));
  EXPECT_FALSE(balance.prompts_wait(some));  // the third step
  EXPECT_TRUE(balance.prompts_wait(some));
  EXPECT_FALSE(balance.prompts_wait(every));
}

TEST(RankBalance, PromptsOnEveryRankWaitForMore) {
  RankBalance balance({.on = true, .timeout_steps = 50, .batching_steps = 2});
  const std::array every{kBoth, kBoth};
  EXPECT_TRUE(balance.prompts_wait(every));
  EXPECT_TRUE(balance.prompts_wait(every));
  EXPECT_FALSE(balance.prompts_wait(every));
  EXPECT_TRUE(balance.prompts_wait(every));
}

TEST(RankBalance, NobodyWaitsForARankThatHasNothingToDecode) {
  RankBalance balance({.on = true});
  EXPECT_FALSE(balance.prompts_wait(std::array{kNew, kDecodes}));
  EXPECT_FALSE(balance.prompts_wait(std::array{kNew, kNew}));
  EXPECT_FALSE(balance.prompts_wait(std::array{kNew, kIdle}));
  EXPECT_TRUE(balance.prompts_wait(std::array{kBoth, kIdle}));  // it decodes a dummy
}

TEST(RankBalance, ARankWithoutAPlaceIsWaitedFor) {
  RankBalance balance({.on = true});
  EXPECT_TRUE(balance.prompts_wait(std::array{kBoth, RankLoad{true, true, false}}));
}

TEST(RankBalance, OffOrAloneItHoldsNothing) {
  EXPECT_FALSE(RankBalance({.on = false}).prompts_wait(std::array{kBoth, kDecodes}));
  EXPECT_FALSE(RankBalance({.on = true}).prompts_wait(std::array{kBoth}));
}

}  // namespace
}  // namespace warploom
