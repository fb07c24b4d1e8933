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

TEST(Router, GivesEqualsTheirTurn) {
  const std::vector<ReplicaLoad> loads{{1, 0, 1, 0.1}, {1, 0, 1, 0.1}, {1, 0, 1, 0.2}};
  EXPECT_EQ(choose_weighted({}, 0, loads, 10), 0u);
  EXPECT_EQ(choose_weighted({}, 1, loads, 10), 1u);
  EXPECT_EQ(choose_weighted({}, 2, loads, 10), 0u);
}

}  // namespace
}  // namespace warploom
