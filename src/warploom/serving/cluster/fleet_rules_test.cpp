// What a router in front of a fleet sees and refuses, on engines whose times are known.
#include <gtest/gtest.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

// Every step takes 10 ms.
const LinearStepPricer kTenMs({.per_step = milliseconds(10)});

Deployment engines_of_one_request(std::int64_t instances, RoutingPolicy policy) {
  ServingConfig config;
  config.block_size = 16;
  config.max_num_seqs = 1;
  config.max_num_batched_tokens = 512;
  config.num_gpu_blocks_override = 200;
  config.async_scheduling = false;
  config.host = HostModel{};
  config.instances = instances;
  config.routing_policy = policy;
  Deployment deployment;
  deployment.pools = {{.name = "engine", .config = config, .pricer = &kTenMs}};
  return deployment;
}

// Ten outputs each, one every `gap`.
Workload every(SimDuration gap, std::int64_t requests) {
  Workload workload;
  workload.name = "even";
  for (std::int64_t i = 0; i < requests; ++i)
    workload.requests.push_back({SimTime(gap.nanoseconds() * i), 100, 10});
  return workload;
}

std::int64_t served_by(const SimulationResult& run, std::int32_t replica) {
  return std::count_if(run.requests.begin(), run.requests.end(),
                       [&](const RequestRecord& record) { return record.replica == replica; });
}

TEST(FleetRules, ARouterThatLooksSeldomSendsABurstToOneReplica) {
  Deployment deployment = engines_of_one_request(2, RoutingPolicy::LeastLoaded);
  const Workload burst = every(to_sim_duration(milliseconds(1)), 8);
  EXPECT_EQ(served_by(simulate(deployment, burst), 0), 4);
  deployment.rules.signal_interval = Seconds(1.0);
  EXPECT_EQ(served_by(simulate(deployment, burst), 0), 8);
  // At 4 ms it sees that the first replica has four requests, and sends the next four to the other.
  deployment.rules.signal_interval = milliseconds(4);
  const SimulationResult late = simulate(deployment, burst);
  EXPECT_EQ(served_by(late, 0), 4);
  EXPECT_EQ(late.requests[3].replica, 0);
  EXPECT_EQ(late.requests[4].replica, 1);
}

TEST(FleetRules, ARequestThatFindsTooManyWaitingIsTurnedAway) {
  Deployment deployment = engines_of_one_request(1, RoutingPolicy::Engine);
  deployment.rules.max_queued = 2;
  const SimulationResult run = simulate(deployment, every(to_sim_duration(milliseconds(1)), 6));
  // One runs, two wait, the rest come within the 100 ms that the first takes.
  EXPECT_EQ(run.turned_away, 3);
  EXPECT_EQ(run.metrics.completed, 3);
  EXPECT_EQ(run.metrics.failed, 3);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(run.requests[i].turned_away, i >= 3) << i;
  // Each instance has such a queue.
  deployment.pools[0].config.instances = 2;
  EXPECT_EQ(simulate(deployment, every(to_sim_duration(milliseconds(1)), 6)).turned_away, 0);
}

TEST(FleetRules, AClientLeavesAfterItsTimeout) {
  Deployment deployment = engines_of_one_request(1, RoutingPolicy::Engine);
  deployment.rules.request_timeout = milliseconds(145);
  // Served one after the other: at 100 ms, then from 100 to 200 ms. The second left at 145 + 1 ms, with five
  // tokens made by the step that ends at 150 ms. The third, which waited, left at 147 ms; the fourth begins.
  Workload workload = every(to_sim_duration(milliseconds(1)), 3);
  workload.requests.push_back({to_sim_time(milliseconds(120)), 100, 3});
  const SimulationResult run = simulate(deployment, workload);
  EXPECT_EQ(run.timed_out, 2);
  EXPECT_TRUE(run.requests[0].completed());
  EXPECT_TRUE(run.requests[1].timed_out);
  EXPECT_EQ(run.requests[1].tokens_emitted, 5);
  EXPECT_EQ(run.requests[2].tokens_emitted, 0);
  EXPECT_FALSE(run.requests[2].was_scheduled);
  EXPECT_TRUE(run.requests[3].completed());
  EXPECT_EQ(run.requests[3].first_token, to_sim_time(milliseconds(160)));
}

// Prompts of one content, so far apart that nothing waits: a router that knows the cache stays where it was.
Workload alike(SimDuration gap, std::int64_t requests) {
  Workload workload = every(gap, requests);
  workload.content_begin.push_back(0);
  for (std::int64_t i = 0; i < requests; ++i) {
    workload.content.push_back({5, 100});
    workload.content_begin.push_back(std::uint32_t(i + 1));
  }
  return workload;
}

TEST(FleetRules, KvCostStaysWithTheCacheOnceItIsTold) {
  Deployment deployment = engines_of_one_request(4, RoutingPolicy::KvCost);
  const Workload workload = alike(to_sim_duration(milliseconds(500)), 8);
  EXPECT_EQ(served_by(simulate(deployment, workload), 0), 8);
  deployment.rules.overlap_credit = 0;
  EXPECT_EQ(served_by(simulate(deployment, workload), 0), 2);  // equals have their turn
  deployment.rules.overlap_credit = 1;
  deployment.rules.event_delay = Seconds(1.2);  // told of the first, at 0 s, before the fourth, at 1.5 s
  const SimulationResult late = simulate(deployment, workload);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(late.requests[i].replica, std::int32_t(i < 3 ? i : 0)) << i;
  EXPECT_EQ(served_by(late, 3), 0);  // by and by it knows of three caches, which have their turn
}

TEST(FleetRules, ARouterThatRemembersFollowsWhatItSent) {
  Deployment deployment = engines_of_one_request(4, RoutingPolicy::CacheAware);
  const Workload workload = alike(to_sim_duration(milliseconds(500)), 8);
  EXPECT_EQ(served_by(simulate(deployment, workload), 0), 8);
  deployment.pools[0].config.routing_policy = RoutingPolicy::KvCost;
  deployment.rules.remembers_routed = true;
  EXPECT_EQ(served_by(simulate(deployment, workload), 0), 8);
  deployment.rules.routed_memory = milliseconds(400);
  EXPECT_EQ(served_by(simulate(deployment, workload), 0), 2);
}

TEST(FleetRules, KvCostLeavesABusyCacheForAnEmptyEngine) {
  Deployment deployment = engines_of_one_request(2, RoutingPolicy::KvCost);
  // At once: each holds its prompt of 6 blocks and a part, the cached one saves what it would compute.
  const SimulationResult run = simulate(deployment, alike(SimDuration(), 8));
  EXPECT_EQ(served_by(run, 0), 4);
}

TEST(FleetRules, RefusesWhatWouldChangeNothing) {
  const Workload workload = every(to_sim_duration(milliseconds(1)), 2);
  const auto run = [&](RoutingPolicy policy, const FleetRules& rules) {
    Deployment deployment = engines_of_one_request(2, policy);
    deployment.rules = rules;
    return simulate(deployment, workload);
  };
  EXPECT_THROW(run(RoutingPolicy::RoundRobin, {.signal_interval = Seconds(1.0)}), InvalidInput);
  EXPECT_THROW(run(RoutingPolicy::LeastLoaded, {.prefix_weight = 1}), InvalidInput);
  EXPECT_NO_THROW(run(RoutingPolicy::Weighted, {.prefix_weight = 1}));
  EXPECT_THROW(run(RoutingPolicy::Weighted, {.temperature = 1}), InvalidInput);
  EXPECT_THROW(run(RoutingPolicy::KvCost, {.balance_abs = 1}), InvalidInput);
  EXPECT_THROW(run(RoutingPolicy::KvCost, {.signal_interval = Seconds(1.0)}), InvalidInput);
  EXPECT_THROW(run(RoutingPolicy::CacheAware, {.event_delay = Seconds(1.0)}), InvalidInput);
  EXPECT_THROW(run(RoutingPolicy::KvCost, {.routed_memory = Seconds(1.0)}), InvalidInput);
  EXPECT_THROW(run(RoutingPolicy::KvCost, {.event_delay = Seconds(1.0), .remembers_routed = true}),
               InvalidInput);
  Deployment apart = engines_of_one_request(1, RoutingPolicy::Engine);
  apart.pools.push_back(apart.pools[0]);
  apart.transfer = {.footprint = {.full_per_token = Bytes(1e5)}};
  apart.rules.request_timeout = Seconds(1.0);
  EXPECT_THROW(simulate(apart, workload), Unsupported);
}

}  // namespace
}  // namespace warploom
