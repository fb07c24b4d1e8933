#include "warploom/serving/cluster/deployment.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/session_workload.h"

namespace warploom {
namespace {

const LinearStepPricer kPricer({.per_step = milliseconds(5),
                                .per_token = microseconds(20),
                                .per_context_token = microseconds(0.01)});

Workload random_workload(std::int64_t requests, std::uint64_t seed, double rate) {
  RandomStream random(seed, "test");
  Workload workload;
  workload.name = "random";
  for (std::int64_t i = 0; i < requests; ++i)
    workload.requests.push_back(
        {SimTime(), std::int32_t(random.integer(1, 400)), std::int32_t(random.integer(1, 60))});
  set_poisson_arrivals(workload, rate, seed);
  return workload;
}

Workload one_request(std::int32_t input, std::int32_t output) {
  return {.name = "one", .requests = {{SimTime(), input, output}}, .concurrency = {}};
}

ServingConfig small_config(const std::string& engine = "vllm") {
  ServingConfig config;
  config.engine = engine;
  config.block_size = 16;
  config.max_num_seqs = 16;
  config.max_num_batched_tokens = 512;
  config.num_gpu_blocks_override = 200;
  config.host = HostModel{};
  return config;
}

Deployment two_pools(const ServingConfig& config, std::int64_t prefill, std::int64_t decode) {
  Deployment deployment;
  deployment.pools = {{.name = "prefill", .config = config, .pricer = &kPricer},
                      {.name = "decode", .config = config, .pricer = &kPricer}};
  deployment.pools[0].config.instances = prefill;
  deployment.pools[1].config.instances = decode;
  deployment.transfer = {.footprint = {.full_per_token = Bytes(1e5)},
                         .layers = 10,
                         .prefill_bandwidth = BytesPerSecond(1e9),
                         .decode_bandwidth = BytesPerSecond(1e9),
                         .latency = milliseconds(1)};
  return deployment;
}

// Whoever computes what, clients get every token once and times are in order.
void expect_whole(const SimulationResult& run, const Workload& workload) {
  ASSERT_EQ(run.metrics.completed, std::ssize(workload.requests));
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& record = run.requests[i];
    EXPECT_EQ(record.tokens_emitted, workload.requests[i].output_tokens);
    EXPECT_LE(record.arrival, record.scheduled);
    EXPECT_LT(record.scheduled, record.first_token);
    EXPECT_LE(record.first_token, record.last_token);
  }
}

TEST(Deployment, FirstTokenWaitsForPrefillTransferAndOneDecodeStep) {
  // 5 + 2 ms of prefill, 99 tokens at 0.1 ms and 1 ms of transfer, and vLLM's decoding engine computes the
  // last token of the prompt once more: 5.02 ms and 0.99 us of context.
  const SimulationResult run = simulate(two_pools(small_config(), 1, 1), one_request(100, 3));
  EXPECT_EQ(run.requests[0].ttft().nanoseconds(), 7'000'000 + 10'900'000 + 5'020'990);
  EXPECT_EQ(run.transfers.count, 1);
  EXPECT_EQ(run.transfers.bytes, Bytes(99e5));
  // SGLang's prefill sends its token along with all 100.
  const SimulationResult sglang = simulate(two_pools(small_config("sglang"), 1, 1), one_request(100, 3));
  EXPECT_EQ(sglang.requests[0].ttft().nanoseconds(), 7'000'000 + 11'000'000);
  EXPECT_EQ(sglang.pools[1].steps.tokens, 2);
}

TEST(Deployment, LayerwiseTransferLeavesTheLastLayer) {
  Deployment deployment = two_pools(small_config("sglang"), 1, 1);
  deployment.transfer.layerwise = true;
  // 10 ms of bytes, of which 7 ms go while the prompt is computed.
  EXPECT_EQ(simulate(deployment, one_request(100, 3)).requests[0].ttft().nanoseconds(),
            7'000'000 + 3'000'000 + 1'000'000);
  deployment.transfer.prefill_bandwidth = deployment.transfer.decode_bandwidth = BytesPerSecond(1e11);
  EXPECT_EQ(simulate(deployment, one_request(100, 3)).requests[0].ttft().nanoseconds(),
            7'000'000 + 10'000 + 1'000'000);
}

TEST(Deployment, TransfersOfOneInstanceShareItsLink) {
  Workload workload = one_request(100, 3);
  workload.requests.push_back({SimTime(), 100, 3});
  const SimulationResult run = simulate(two_pools(small_config("sglang"), 1, 1), workload);
  EXPECT_NEAR(run.transfers.link_wait.value(), 0.011, 1e-12);
  EXPECT_EQ((run.requests[1].first_token - run.requests[0].first_token).nanoseconds(), 11'000'000);
}

TEST(Deployment, AHandshakeComesBeforeEachTransferAndHoldsNoLink) {
  Deployment deployment = two_pools(small_config("sglang"), 1, 1);
  deployment.transfer.handshake = milliseconds(50);
  EXPECT_EQ(simulate(deployment, one_request(100, 3)).requests[0].ttft().nanoseconds(),
            7'000'000 + 50'000'000 + 11'000'000);
  Workload workload = one_request(100, 3);
  workload.requests.push_back({SimTime(), 100, 3});
  const SimulationResult run = simulate(deployment, workload);
  EXPECT_NEAR(run.transfers.link_wait.value(), 0.011, 1e-12);
  EXPECT_EQ((run.requests[1].first_token - run.requests[0].first_token).nanoseconds(), 11'000'000);
}

TEST(Deployment, TensorRtsDecodingBatchHoldsWhoseCacheIsOnTheWay) {
  Workload workload = one_request(100, 21);
  workload.requests.push_back({SimTime(), 100, 21});
  Deployment deployment = two_pools(small_config("trtllm"), 1, 1);
  const SimulationResult both = simulate(deployment, workload);
  EXPECT_LT(both.requests[1].first_token, both.requests[0].last_token);
  // With one place the second is fetched when the first is done, and has its first token then.
  deployment.pools[1].config.max_num_seqs = 1;
  const SimulationResult one = simulate(deployment, workload);
  expect_whole(one, workload);
  EXPECT_GT(one.requests[1].first_token, one.requests[0].last_token);
}

RC_GTEST_PROP(Deployment, PoolsConserveRequestsTokensAndBlocks, ()) {
  ServingConfig config = small_config(*rc::gen::elementOf(engine_names()));
  config.async_scheduling = *rc::gen::arbitrary<bool>();
  config.num_gpu_blocks_override = *rc::gen::inRange<std::int64_t>(40, 300);
  config.routing_policy = *rc::gen::element(RoutingPolicy::RoundRobin, RoutingPolicy::LeastLoaded,
                                            RoutingPolicy::PrefixAware, RoutingPolicy::SessionSticky);
  Deployment deployment = two_pools(config, *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4));
  deployment.transfer.layerwise = *rc::gen::arbitrary<bool>();
  const Workload workload =
      random_workload(*rc::gen::inRange(1, 60), *rc::gen::arbitrary<std::uint64_t>(), 50);
  const SimulationResult run = simulate(deployment, workload);  // asserts that no block is left
  expect_whole(run, workload);
  RC_ASSERT(run.transfers.count == std::ssize(workload.requests));
}

RC_GTEST_PROP(Deployment, FailuresLeakNothing, ()) {
  ServingConfig config = small_config(*rc::gen::elementOf(engine_names()));
  config.async_scheduling = *rc::gen::arbitrary<bool>();
  config.num_gpu_blocks_override = *rc::gen::inRange<std::int64_t>(40, 300);
  const bool split = *rc::gen::arbitrary<bool>();
  Deployment deployment = two_pools(config, 2, 2);
  if (!split) deployment.pools.pop_back();
  const auto failures = *rc::gen::inRange(1, 6);
  for (int i = 0; i < failures; ++i) {
    InstanceFailure failure{.pool = std::size_t(*rc::gen::inRange(0, split ? 2 : 1)),
                            .instance = std::size_t(*rc::gen::inRange(0, 2)),
                            .at = to_sim_time(Seconds(*rc::gen::inRange(0, 2000) * 1e-3))};
    failure.down = to_sim_duration(Seconds(*rc::gen::inRange(0, 500) * 1e-3));
    deployment.failures.push_back(failure);
  }
  const Workload workload =
      random_workload(*rc::gen::inRange(1, 60), *rc::gen::arbitrary<std::uint64_t>(), 50);
  const SimulationResult run = simulate(deployment, workload);
  expect_whole(run, workload);
  const SimulationResult again = simulate(deployment, workload);
  for (std::size_t i = 0; i < run.requests.size(); ++i)
    RC_ASSERT(run.requests[i].last_token == again.requests[i].last_token);
}

// The blocks that a lost transfer was to fill wake the decoding engine: here the other prompt waits for them,
// and the engine that holds that one has no room to compute the lost one again before it has left.
TEST(Deployment, ALostTransferGivesItsBlocksToThoseWhoWait) {
  ServingConfig config = small_config();
  config.num_gpu_blocks_override = 42;
  Deployment deployment = two_pools(config, 2, 1);
  Workload workload;
  workload.requests = {{SimTime(), 470, 5}, {to_sim_time(milliseconds(10)), 360, 5}};
  std::int64_t restarts = 0;
  for (int at = 1; at < 100; ++at) {
    deployment.failures = {{.pool = 0, .instance = 0, .at = to_sim_time(milliseconds(at)), .down = {}}};
    const SimulationResult run = simulate(deployment, workload);
    expect_whole(run, workload);
    restarts += run.restarts;
  }
  EXPECT_GT(restarts, 0);
}

TEST(Deployment, RequestsOfAFailedInstanceGoOnFromTheTokensTheirClientsHave) {
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  deployment.pools[0].config.instances = 2;
  const Workload workload = one_request(100, 50);
  const SimulationResult calm = simulate(deployment, workload);
  deployment.failures = {{.pool = 0, .instance = 0, .at = to_sim_time(milliseconds(60)), .down = {}}};
  const SimulationResult run = simulate(deployment, workload);
  expect_whole(run, workload);
  EXPECT_EQ(run.restarts, 1);
  EXPECT_EQ(run.requests[0].replica, 1);
  EXPECT_EQ(run.requests[0].first_token, calm.requests[0].first_token);
  EXPECT_GT(run.requests[0].last_token, calm.requests[0].last_token);
}

TEST(Deployment, LaterTurnsDoNotWaitForArrivalsStillToCome) {
  Workload workload = one_request(100, 3);
  workload.requests.push_back({SimTime(), 100, 3, 0, SimDuration(1'000'000'000)});
  workload.requests.push_back({to_sim_time(Seconds(100)), 100, 3});
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  deployment.pools[0].config.host.frontend_per_token = microseconds(10);
  const SimulationResult run = simulate(deployment, workload);
  EXPECT_LT(run.requests[1].last_token, to_sim_time(Seconds(2)));
  EXPECT_EQ((run.requests[1].queued - run.requests[1].arrival).nanoseconds(), 1'000'000);
}

TEST(Deployment, RequestsSentTogetherShareTheFrontEnd) {
  Workload workload = one_request(100, 3);
  workload.requests.push_back(workload.requests[0]);
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  HostModel& host = deployment.pools[0].config.host;
  host.frontend_latency = milliseconds(7);
  host.frontend_per_token = microseconds(40);
  const SimulationResult run = simulate(deployment, workload);
  const auto way = [&](std::size_t i) {
    return (run.requests[i].queued - run.requests[i].arrival).nanoseconds();
  };
  EXPECT_EQ(way(0), 15'000'000);
  EXPECT_EQ(way(1), 15'000'000);
}

TEST(Deployment, ReplicasSideBySideGiveTheSameForAnyThreadCount) {
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  deployment.pools[0].config.instances = 5;
  const Workload workload = random_workload(300, 7, 100);
  const SimulationResult one = simulate(deployment, workload, {.threads = 1});
  const SimulationResult many = simulate(deployment, workload, {.threads = 4});
  expect_whole(one, workload);
  for (std::size_t i = 0; i < one.requests.size(); ++i) {
    EXPECT_EQ(one.requests[i].last_token, many.requests[i].last_token);
    EXPECT_EQ(one.requests[i].replica, std::int32_t(i % 5));
  }
  EXPECT_EQ(one.metrics.itl.p99, many.metrics.itl.p99);
  EXPECT_EQ(one.metrics.itl.mean, many.metrics.itl.mean);
  ASSERT_EQ(one.timeline.size(), many.timeline.size());
  EXPECT_EQ(one.timeline[500].running, many.timeline[500].running);
  // An instance that cannot be reached in turn makes one run of all; requests are served alike.
  deployment.failures = {{.pool = 0, .instance = 4, .at = to_sim_time(Seconds(1e6)), .down = {}}};
  const SimulationResult together = simulate(deployment, workload);
  for (std::size_t i = 0; i < one.requests.size(); ++i)
    EXPECT_EQ(one.requests[i].last_token, together.requests[i].last_token);
  EXPECT_EQ(one.metrics.max_output_tokens_per_s, together.metrics.max_output_tokens_per_s);
  EXPECT_EQ(one.metrics.max_concurrent_requests, together.metrics.max_concurrent_requests);
  EXPECT_EQ(one.totals.tokens, together.totals.tokens);
}

class FailingPricer final : public StepPricer {
 public:
  StepCost price(const StepBatch&) override { throw Unsupported("no such kernel"); }
  std::vector<KernelTime> breakdown() const override { return {}; }
  std::unique_ptr<StepPricer> clone() const override { return std::make_unique<FailingPricer>(); }
};

TEST(Deployment, AnErrorInOneOfManyThreadsReachesTheCaller) {
  const FailingPricer pricer;
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &pricer});
  deployment.pools[0].config.instances = 3;
  EXPECT_THROW(simulate(deployment, random_workload(30, 7, 100), {.threads = 3}), Unsupported);
}

TEST(Deployment, RequestsWithoutAnyInstanceLeftCountAsFailed) {
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  deployment.failures = {{.pool = 0, .instance = 0, .at = to_sim_time(milliseconds(500)), .down = {}}};
  const SimulationResult run = simulate(deployment, random_workload(50, 1, 20));
  EXPECT_FALSE(run.partial);
  EXPECT_GT(run.metrics.failed, 0);
  EXPECT_EQ(run.metrics.completed + run.metrics.failed, 50);
  deployment.failures[0].instance = 1;
  EXPECT_THROW(simulate(deployment, random_workload(5, 1, 20)), InvalidInput);
}

TEST(Deployment, WatchingAndNeighboursDoNotChangeADraw) {
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  ServingConfig& config = deployment.pools[0].config;
  config.instances = 2;
  config.speculative_config = R"({"method": "eagle3", "num_speculative_tokens": 3})";
  config.acceptance_length = 2.5;
  const Workload workload = random_workload(60, 5, 60);
  const SimulationResult alone = simulate(deployment, workload);
  const SimulationResult watched = simulate(deployment, workload, {.recorded_steps = 100});
  ASSERT_EQ(watched.steps.size(), 100u);
  EXPECT_TRUE(std::is_sorted(watched.steps.begin(), watched.steps.end(),
                             [](const StepRecord& a, const StepRecord& b) { return a.begin < b.begin; }));
  for (std::size_t i = 0; i < alone.requests.size(); ++i)
    EXPECT_EQ(alone.requests[i].last_token, watched.requests[i].last_token);
  // Two equal requests on two replicas accept different drafts.
  Workload equal = one_request(50, 60);
  equal.requests.push_back(equal.requests[0]);
  const SimulationResult two = simulate(deployment, equal);
  EXPECT_NE(two.requests[0].last_token, two.requests[1].last_token);
  // A third instance that nobody reaches leaves the draws alone: the run of all in one.
  deployment.failures = {{.pool = 0, .instance = 1, .at = to_sim_time(Seconds(1e6)), .down = {}}};
  const SimulationResult together = simulate(deployment, workload);
  for (std::size_t i = 0; i < alone.requests.size(); ++i)
    EXPECT_EQ(alone.requests[i].last_token, together.requests[i].last_token);
}

TEST(Deployment, TurnsOfASessionAreGivenOutInTurn) {
  SessionShape shape;
  shape.sessions = 100;
  shape.turns = 4;
  shape.rate = 4;
  const Workload workload = session_workload(shape, 1);
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  deployment.pools[0].config.num_gpu_blocks_override = 2000;
  std::vector<double> ttft;
  for (const std::int64_t instances : {3, 4}) {
    deployment.pools[0].config.instances = instances;
    const SimulationResult run = simulate(deployment, workload);
    ttft.push_back(run.metrics.ttft.mean.value());
    std::vector<std::int64_t> first_turns(std::size_t(instances), 0);
    for (std::size_t i = 0; i < run.requests.size(); i += 4)
      ++first_turns[std::size_t(run.requests[i].replica)];
    EXPECT_GT(*std::min_element(first_turns.begin(), first_turns.end()), 100 / instances / 2);
  }
  EXPECT_LT(ttft[1], 1.1 * ttft[0]);  // hits spread over more caches, and nothing worse
}

TEST(Deployment, VllmsRanksGetRequestsByWhatTheyHold) {
  // One long request holds the first rank; those that follow go to the other.
  Workload workload = one_request(400, 200);
  for (int i = 0; i < 4; ++i) workload.requests.push_back({to_sim_time(Seconds(0.3 + 0.2 * i)), 10, 2});
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  deployment.pools[0].config.data_parallel_size = 2;
  const SimulationResult run = simulate(deployment, workload);
  EXPECT_EQ(run.requests[0].replica, 0);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(run.requests[i].replica, 1);
}

TEST(Deployment, InstancesThatWereReleasedServeAgain) {
  Workload workload;
  for (std::int64_t burst = 0; burst < 4; ++burst)
    for (int i = 0; i < 60; ++i)
      workload.requests.push_back({to_sim_time(Seconds(60.0 * double(burst))), 200, 40});
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  deployment.pools[0].autoscaling = {
      .max_instances = 2, .queue_depth = 4, .interval = Seconds(0.2), .startup = Seconds(0.5)};
  const SimulationResult run = simulate(deployment, workload);
  expect_whole(run, workload);
  EXPECT_EQ(run.pools[0].most_instances, 2);
  // A failure of an instance that was never started is none.
  deployment.pools[0].autoscaling.max_instances = 4;
  deployment.failures = {{.pool = 0, .instance = 3, .at = SimTime(1), .down = {}}};
  expect_whole(simulate(deployment, workload), workload);
}

TEST(Deployment, ScalesWithTheQueueAndBack) {
  Deployment deployment;
  deployment.pools.push_back({.config = small_config(), .pricer = &kPricer});
  const Workload workload = random_workload(400, 3, 60);
  const SimulationResult fixed = simulate(deployment, workload);
  deployment.pools[0].autoscaling = {
      .max_instances = 4, .queue_depth = 4, .interval = Seconds(0.5), .startup = Seconds(1.0)};
  const SimulationResult scaled = simulate(deployment, workload);
  expect_whole(scaled, workload);
  EXPECT_GT(scaled.pools[0].most_instances, 1);
  EXPECT_LT(scaled.metrics.ttft.mean, fixed.metrics.ttft.mean);
  std::int64_t most = 0;
  for (const TimelineSample& sample : scaled.timeline) most = std::max(most, sample.instances);
  EXPECT_GT(most, scaled.timeline.back().instances);
  deployment.pools[0].autoscaling.min_instances = 9;
  EXPECT_THROW(simulate(deployment, workload), InvalidInput);
}

}  // namespace
}  // namespace warploom
