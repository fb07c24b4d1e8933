#include "warploom/serving/cluster/cluster_caches.h"

#include <gtest/gtest.h>

#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/session_workload.h"

namespace warploom {
namespace {

constexpr Bytes kPerToken{1e5};
constexpr std::int64_t kUnit = 16;

TEST(SharedStore, KeepsWhatWasUsedLastFromWhenItWasWritten) {
  SharedStore store(2);
  store.add(1, 0, SimTime(10));
  store.add(2, 1, SimTime(10));
  EXPECT_FALSE(store.find(1, SimTime(9)));  // still being written
  EXPECT_TRUE(store.find(1, SimTime(10)));
  store.add(3, 0, SimTime(20));
  EXPECT_FALSE(store.touch(2));
  EXPECT_EQ(store.evicted(), 1);
  store.drop_unwritten(0, SimTime(15));
  EXPECT_TRUE(store.touch(1));
  EXPECT_FALSE(store.touch(3));
  EXPECT_EQ(store.added(), store.size() + store.evicted() + store.dropped());
}

// Requests of `tokens` tokens, all of one prompt, one a second, in turn over two instances.
Workload same_prompt(std::int64_t requests, std::int32_t tokens, double gap_s = 1) {
  Workload workload;
  workload.content_begin.push_back(0);
  for (std::int64_t i = 0; i < requests; ++i) {
    workload.requests.push_back(
        {.arrival = to_sim_time(Seconds(gap_s * double(i))), .input_tokens = tokens, .output_tokens = 2});
    workload.content.push_back({7, tokens});
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
  }
  return workload;
}

Deployment fleet(const SharedKvPlan& shared, std::int64_t instances = 2) {
  static const LinearStepPricer pricer({.per_step = milliseconds(5), .per_token = microseconds(100)});
  ServingConfig engine;
  engine.instances = instances;
  engine.num_gpu_blocks_override = 1000;
  engine.routing_policy = RoutingPolicy::RoundRobin;
  Deployment deployment;
  deployment.pools.push_back({.config = engine, .pricer = &pricer, .cache_bandwidth = BytesPerSecond(1e9)});
  deployment.shared_kv = shared;
  return deployment;
}

SharedKvPlan store(std::int64_t tokens) { return {.store_tokens = tokens, .per_token = kPerToken}; }

TEST(ClusterCaches, AnInstanceReadsWhatAnotherWroteAndNothingIsWrittenTwice) {
  const Workload workload = same_prompt(2, 1601);
  const SimulationResult alone = simulate(fleet({}), workload);
  Deployment sharing = fleet(store(10'000));
  sharing.pools[0].cache_bandwidth = BytesPerSecond(1e10);
  const SimulationResult shared = simulate(sharing, workload);
  EXPECT_EQ(alone.cached_tokens, 0);
  EXPECT_EQ(shared.cached_tokens, 1600);
  EXPECT_EQ(shared.shared_kv.store_read_tokens, 1600);
  EXPECT_EQ(shared.shared_kv.store_written_units, 1600 / kUnit);
  EXPECT_LT(shared.requests[1].first_token, alone.requests[1].first_token);
}

// 1,600 tokens of 0.1 MB at 1 GB/s: 0.16 s, and the latency.
TEST(ClusterCaches, AReadTakesItsBytesOverTheSlowestLink) {
  SharedKvPlan plan = store(10'000);
  plan.store_latency = milliseconds(3);
  const SimulationResult fast = simulate(fleet(plan), same_prompt(2, 1601));
  EXPECT_NEAR(fast.shared_kv.wait.value(), 0.163, 1e-6);
  EXPECT_NEAR(fast.shared_kv.link_wait.value(), 0, 1e-6);
  plan.store_bandwidth = BytesPerSecond(5e8);
  const SimulationResult slow = simulate(fleet(plan), same_prompt(2, 1601, 5));
  EXPECT_NEAR(slow.shared_kv.wait.value(), 0.323, 1e-6);
}

// Three instances read at once what the fourth wrote: each link alone would do; the store serves one by one.
TEST(ClusterCaches, ReadsCompeteForTheStore) {
  SharedKvPlan plan = store(10'000);
  Workload workload = same_prompt(4, 1601, 5);
  for (std::size_t i = 1; i < 4; ++i) workload.requests[i].arrival = to_sim_time(Seconds(5.0));
  const SimulationResult free = simulate(fleet(plan, 4), workload);
  EXPECT_NEAR(free.shared_kv.wait.value(), 3 * 0.16, 1e-6);
  plan.store_bandwidth = BytesPerSecond(1e9);
  const SimulationResult shared = simulate(fleet(plan, 4), workload);
  EXPECT_NEAR(shared.shared_kv.wait.value(), (1 + 2 + 3) * 0.16, 1e-6);
  EXPECT_NEAR(shared.shared_kv.link_wait.value(), (1 + 2) * 0.16, 1e-6);
}

TEST(ClusterCaches, PeersAreReadInHostMemoryOrAnywhere) {
  const Workload workload = same_prompt(2, 1601);
  SharedKvPlan plan{.per_token = kPerToken, .peers = KvPeers::Any};
  EXPECT_EQ(simulate(fleet(plan), workload).shared_kv.peer_tokens, 1600);
  plan.peers = KvPeers::Host;
  EXPECT_EQ(simulate(fleet(plan), workload).shared_kv.peer_tokens, 0);
  Deployment with_host = fleet(plan);
  with_host.pools[0].tiers = {.cpu_tokens = 800, .cpu_per_token = microseconds(1)};
  // Host memory keeps the end of the prompt, which is of no use without its start.
  EXPECT_EQ(simulate(with_host, workload).shared_kv.peer_tokens, 0);
  with_host.pools[0].tiers.cpu_tokens = 1600;
  EXPECT_EQ(simulate(with_host, workload).shared_kv.peer_tokens, 1600);
}

TEST(ClusterCaches, FetchesAsToldAndFromSoManyTokensOn) {
  SharedKvPlan plan = store(10'000);
  plan.least_tokens = 1601;
  EXPECT_EQ(simulate(fleet(plan), same_prompt(2, 1601)).shared_kv.store_read_tokens, 0);
  plan.least_tokens = 1600;
  EXPECT_EQ(simulate(fleet(plan), same_prompt(2, 1601)).shared_kv.store_read_tokens, 1600);
  // 100 us a token are computed in 0.16 s; reading takes as long, and longer over a slow link. The second
  // instance has seen no prompt of its own before its first.
  plan.fetch = KvFetchRule::Faster;
  Deployment slow = fleet(plan);
  slow.pools[0].cache_bandwidth = BytesPerSecond(1e8);
  Workload workload = same_prompt(3, 1601, 10);
  workload.content[1].content = 8;  // the second instance learns its speed by a prompt of its own
  workload.requests.push_back(workload.requests[2]);
  workload.requests[3].arrival = to_sim_time(Seconds(30.0));
  workload.content.push_back({7, 1601});
  workload.content_begin.push_back(4);
  EXPECT_EQ(simulate(slow, workload).shared_kv.store_read_tokens, 0);
  slow.shared_kv.fetch = KvFetchRule::Always;
  EXPECT_EQ(simulate(slow, workload).shared_kv.store_read_tokens, 1600);
}

// The sender fails while it sends: the reader computes the prompt.
TEST(ClusterCaches, WhatAFailedPeerSentIsComputed) {
  const SharedKvPlan plan{.per_token = kPerToken, .peers = KvPeers::Any};
  Deployment deployment = fleet(plan);
  deployment.failures.push_back({.instance = 0, .at = to_sim_time(Seconds(1.1)), .down = SimDuration(1)});
  const SimulationResult result = simulate(deployment, same_prompt(2, 1601));
  EXPECT_EQ(result.metrics.completed, 2);
  EXPECT_EQ(result.shared_kv.lost_tokens, 1600);
  EXPECT_EQ(result.cached_tokens, 0);
}

// Sessions whose turns go to instances in turn.
TEST(ClusterCaches, SessionsFindTheirTurnsWhereverTheyGo) {
  SessionShape shape;
  shape.sessions = 40;
  shape.rate = 2;
  shape.turns = 5;
  const Workload workload = session_workload(shape, 1);
  const SimulationResult alone = simulate(fleet({}, 4), workload);
  const SimulationResult shared = simulate(fleet(store(10'000'000), 4), workload);
  EXPECT_EQ(shared.metrics.completed, 200);
  EXPECT_GT(shared.cached_tokens, alone.cached_tokens);
  EXPECT_LT(shared.totals.tokens, alone.totals.tokens);
}

}  // namespace
}  // namespace warploom
