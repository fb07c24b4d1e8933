#include "warploom/serving/routing/router.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

const std::vector<ReplicaLoad> kLoads{{5, 0}, {2, 100}, {2, 400}, {60, 900}};

TEST(Router, GivesRequestsOutInTurn) {
  for (std::uint32_t i = 0; i < 9; ++i)
    EXPECT_EQ(choose_replica(RoutingPolicy::RoundRobin, i, kLoads, -1), i % 4);
}

TEST(Router, CountsAWaitingRequestFourTimes) {
  EXPECT_EQ(choose_replica(RoutingPolicy::WaitingFirst, 0, {{3, 0, 1}, {5, 0, 0}, {5, 0, 0}}, -1), 1u);
}

TEST(Router, PrefersTheLeastLoadedAndOfEqualsTheFirst) {
  EXPECT_EQ(choose_replica(RoutingPolicy::LeastLoaded, 0, kLoads, -1), 1u);
}

TEST(Router, FollowsCachedPrefixesUnlessTheReplicaIsFarBusier) {
  EXPECT_EQ(choose_replica(RoutingPolicy::PrefixAware, 0, kLoads, -1), 2u);
  EXPECT_EQ(choose_replica(RoutingPolicy::PrefixAware, 0, {{5, 0}, {5 + kPrefixImbalance, 10}}, -1), 1u);
  EXPECT_EQ(choose_replica(RoutingPolicy::PrefixAware, 0, {{5, 0}, {6 + kPrefixImbalance, 10}}, -1), 0u);
}

TEST(Router, KeepsSessionsWhereTheyBegan) {
  EXPECT_EQ(choose_replica(RoutingPolicy::SessionSticky, 0, kLoads, 3), 3u);
  EXPECT_EQ(choose_replica(RoutingPolicy::SessionSticky, 0, kLoads, -1), 1u);
}

TEST(Router, WeighsCachedPrefixShortQueueAndFreeCache) {
  // Prompt of 100 tokens. Scores: 3 * 0.5 + 0 + 2 * 0.5 = 2.5; 0 + 2 * 0.75 + 2 = 3.5; 0 + 2 + 2 * 0.7 = 3.4.
  const std::vector<ReplicaLoad> loads{{9, 50, 4, 0.5}, {3, 0, 1, 0}, {1, 0, 0, 0.3}};
  EXPECT_EQ(choose_weighted({}, 0, loads, 100), 1u);
  EXPECT_EQ(choose_weighted({.prefix_weight = 6}, 0, loads, 100), 0u);
  EXPECT_EQ(choose_weighted({.queue_weight = 3}, 0, loads, 100), 2u);
}

// Costs by hand, blocks of 16, a prompt of 160 tokens (10 blocks): prompts waiting + 10 - cached + in use.
TEST(Router, CostsUncachedPromptsAndBlocksInUse) {
  std::vector<ReplicaLoad> loads(3);
  loads[0] = {.cached_tokens = 128, .prompt_blocks = 4, .used_blocks = 30};  // 4 + 10 - 8 + 30 = 36
  loads[1] = {.cached_tokens = 0, .prompt_blocks = 0, .used_blocks = 27};    // 10 + 27 = 37
  loads[2] = {.cached_tokens = 64, .prompt_blocks = 20, .used_blocks = 5};   // 26 + 5 = 31
  EXPECT_EQ(choose_kv_cost({}, 0, 0, loads, 160, 16), 2u);
  EXPECT_EQ(choose_kv_cost({.prefill_scale = 2}, 0, 0, loads, 160, 16), 0u);  // 42, 47, 57
  EXPECT_EQ(choose_kv_cost({.overlap_credit = 0, .prefill_scale = 2}, 0, 0, loads, 160, 16),
            1u);  // 58, 47, 65
  // More cached than there is to compute saves no more than all of it.
  loads[2].prompt_blocks = 0;
  EXPECT_EQ(choose_kv_cost({.prefill_scale = 0}, 0, 0, loads, 160, 16), 2u);
}

TEST(Router, DrawsByTheSoftmaxOfCostsOverTheirRange) {
  std::vector<ReplicaLoad> loads(2);
  loads[1].used_blocks = 50;
  // Weights 1 and exp(-1 / 0.5) = 0.135: the first up to a draw of 1 / 1.135 = 0.881.
  const FleetRules rules{.temperature = 0.5};
  EXPECT_EQ(choose_kv_cost(rules, 0, 0.87, loads, 16, 16), 0u);
  EXPECT_EQ(choose_kv_cost(rules, 0, 0.89, loads, 16, 16), 1u);
  loads[1].used_blocks = 0;  // alike: half each
  EXPECT_EQ(choose_kv_cost(rules, 0, 0.49, loads, 16, 16), 0u);
  EXPECT_EQ(choose_kv_cost(rules, 0, 0.51, loads, 16, 16), 1u);
}

TEST(Router, FollowsAKnownPrefixUnlessLoadsDiffer) {
  const FleetRules rules;  // 0.3 of the prompt; 64 more and 1.5 times as many
  EXPECT_EQ(choose_cache_aware(rules, {{9, 31}, {2, 0}}, 100), 0u);
  EXPECT_EQ(choose_cache_aware(rules, {{9, 30}, {2, 0}}, 100), 1u);      // not above the threshold
  EXPECT_EQ(choose_cache_aware(rules, {{67, 90}, {2, 0}}, 100), 1u);     // 65 more
  EXPECT_EQ(choose_cache_aware(rules, {{66, 90}, {2, 0}}, 100), 0u);     // 64 more
  EXPECT_EQ(choose_cache_aware(rules, {{300, 90}, {210, 0}}, 100), 0u);  // 90 more, but 1.43 times
}

TEST(Router, SendsColdPromptsWhereTheLatestCameLongestAgo) {
  const FleetRules rules{.cold_weight = 2};
  std::vector<ReplicaLoad> loads(3);
  loads[0].cold_since = 7;
  loads[1].cold_since = 5;
  loads[2].cold_since = 9;
  EXPECT_EQ(choose_weighted(rules, 0, loads, 100), 1u);
  loads[2].cached_tokens = 1;  // a warm prompt: all are alike but for the prefix
  EXPECT_EQ(choose_weighted(rules, 0, loads, 100), 2u);
}

TEST(Router, GivesEqualsTheirTurn) {
  const std::vector<ReplicaLoad> loads{{1, 0, 1, 0.1}, {1, 0, 1, 0.1}, {1, 0, 1, 0.2}};
  EXPECT_EQ(choose_weighted({}, 0, loads, 10), 0u);
  EXPECT_EQ(choose_weighted({}, 1, loads, 10), 1u);
  EXPECT_EQ(choose_weighted({}, 2, loads, 10), 0u);
}

}  // namespace
}  // namespace warploom
