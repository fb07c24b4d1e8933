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

}  // namespace
}  // namespace warploom
