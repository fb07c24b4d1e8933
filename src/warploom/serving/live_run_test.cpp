#include "warploom/serving/live_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

const LinearStepPricer kPricer({.per_step = milliseconds(5),
                                .per_token = microseconds(20),
                                .per_context_token = microseconds(0.01)});

struct Heard final : RunListener {
  void on_outputs(std::uint32_t request, std::int32_t tokens) override {
    if (outputs.size() <= request) outputs.resize(request + 1);
    outputs[request] += tokens;
  }
  void on_end(std::uint32_t request, const RequestRecord& record) override {
    ended.emplace_back(request, record);
  }
  std::vector<std::int64_t> outputs;
  std::vector<std::pair<std::uint32_t, RequestRecord>> ended;
};

Deployment deployment_of(const std::string& engine, std::int64_t instances) {
  ServingConfig config;
  config.engine = engine;
  config.block_size = 16;
  config.max_num_seqs = 16;
  config.max_num_batched_tokens = 512;
  config.num_gpu_blocks_override = 200;
  config.instances = instances;
  Deployment deployment;
  deployment.pools = {{.name = "engine", .config = config, .pricer = &kPricer}};
  return deployment;
}

Deployment pools_of(const std::string& engine) {
  Deployment deployment = deployment_of(engine, 2);
  deployment.pools.push_back(deployment.pools[0]);
  deployment.transfer = {.footprint = {.full_per_token = Bytes(1e5)},
                         .layers = 10,
                         .prefill_bandwidth = BytesPerSecond(1e9),
                         .decode_bandwidth = BytesPerSecond(1e9),
                         .latency = milliseconds(1)};
  return deployment;
}

Workload random_workload(double rate) {
  RandomStream random(7, "live");
  Workload workload{.name = "random"};
  for (int i = 0; i < 200; ++i)
    workload.requests.push_back(
        {SimTime(), std::int32_t(random.integer(1, 400)), std::int32_t(random.integer(1, 60))});
  set_poisson_arrivals(workload, rate, 7);
  return workload;
}

// Requests are added when the clock reaches them, and the clock moves in strides of its own.
void expect_as_simulated(const Deployment& deployment) {
  const Workload workload = random_workload(60);
  const SimulationResult whole = simulate(deployment, workload);
  Heard heard;
  LiveRun live(deployment, heard);
  SimTime now;
  for (const WorkloadRequest& request : workload.requests) {
    while (now + SimDuration(3'000'000) < request.arrival)
      live.play_until(now = now + SimDuration(3'000'000));
    live.add(request.arrival, request.input_tokens, request.output_tokens);
  }
  live.play_until(whole.end);
  EXPECT_EQ(live.next_time(), kNever);
  ASSERT_EQ(heard.ended.size(), workload.requests.size());
  for (const auto& [request, record] : heard.ended) {
    const RequestRecord& expected = whole.requests[request];
    EXPECT_EQ(record.first_token, expected.first_token) << request;
    EXPECT_EQ(record.last_token, expected.last_token) << request;
    EXPECT_EQ(record.replica, expected.replica) << request;
    EXPECT_EQ(heard.outputs[request], expected.output_tokens) << request;
  }
  EXPECT_EQ(live.load().running + live.load().waiting, 0);
  EXPECT_EQ(live.load().kv_use, 0);
}

TEST(LiveRun, GivesTheTimesOfTheSameRequestsSimulated) {
  for (const char* engine : {"vllm", "sglang", "trtllm"})
    for (const std::int64_t instances : {1, 3}) expect_as_simulated(deployment_of(engine, instances));
}

TEST(LiveRun, GivesTheTimesOfPoolsThatPrefillAndDecode) { expect_as_simulated(pools_of("vllm")); }

// A server reads a request while the run goes on: when it is told of it within its way, nothing differs.
TEST(LiveRun, TakesARequestAfterItCameAsLongAsItIsOnItsWay) {
  Deployment deployment = deployment_of("vllm", 1);
  deployment.pools[0].config.host.frontend_latency = milliseconds(8);
  const Workload workload = random_workload(60);
  const SimulationResult whole = simulate(deployment, workload);
  Heard heard;
  LiveRun live(deployment, heard);
  ASSERT_EQ(live.least_way(), SimDuration(8'000'000));
  for (const WorkloadRequest& request : workload.requests) {
    live.play_until(request.arrival + SimDuration(6'000'000));
    ASSERT_LE(live.earliest_arrival(), request.arrival);
    live.add(request.arrival, request.input_tokens, request.output_tokens);
  }
  live.play_until(whole.end + SimDuration(1'000'000'000));
  ASSERT_EQ(heard.ended.size(), workload.requests.size());
  for (const auto& [request, record] : heard.ended) {
    EXPECT_EQ(record.first_token, whole.requests[request].first_token) << request;
    EXPECT_EQ(record.last_token, whole.requests[request].last_token) << request;
  }
}

// One that was told of too late reaches an engine when that is where it is.
TEST(LiveRun, OneThatIsToldOfTooLateReachesAnEngineNow) {
  Deployment deployment = deployment_of("vllm", 1);
  deployment.pools[0].config.host.frontend_latency = milliseconds(2);
  Heard heard;
  LiveRun live(deployment, heard);
  live.add(SimTime(), 100, 100);
  live.play_until(SimTime(50'000'000));
  live.add(SimTime(20'000'000), 100, 2);
  live.play_until(SimTime(2'000'000'000));
  ASSERT_EQ(heard.ended.size(), 2U);
  EXPECT_EQ(heard.ended[0].second.arrival, SimTime(20'000'000));
  EXPECT_GT(heard.ended[0].second.scheduled, SimTime(45'000'000));
}

TEST(LiveRun, FreesWhatAClientLeftBehind) {
  const Deployment deployment = deployment_of("vllm", 1);
  Heard heard;
  LiveRun live(deployment, heard);
  const std::uint32_t gone = live.add(SimTime(), 100, 1000);
  const std::uint32_t other = live.add(SimTime(), 100, 50);
  live.play_until(SimTime(100'000'000));
  ASSERT_GT(heard.outputs[gone], 5);
  live.leave(gone, SimTime(100'000'000));
  live.play_until(SimTime(2'000'000'000));
  ASSERT_EQ(heard.ended.size(), 2U);
  EXPECT_EQ(heard.ended[0].first, gone);
  EXPECT_TRUE(heard.ended[0].second.timed_out);
  EXPECT_LT(heard.outputs[gone], 100);
  EXPECT_EQ(heard.outputs[other], 50);
  EXPECT_EQ(live.load().kv_use, 0);
}

TEST(LiveRun, CutsOrRefusesWhatIsTooLong) {
  Deployment deployment = deployment_of("vllm", 1);
  deployment.pools[0].config.max_model_len = 1000;
  Heard heard;
  LiveRun live(deployment, heard);
  EXPECT_EQ(live.output_tokens(live.add(SimTime(), 900, 500)), 100);
  EXPECT_THROW(live.add(SimTime(), 1000, 1), InvalidInput);
  EXPECT_THROW(live.add(SimTime(), 0, 1), InvalidInput);
  EXPECT_THROW(live.add(SimTime(), 1, 0), InvalidInput);
  deployment.pools[0].config.max_model_len = 100'000;
  LiveRun wide(deployment, heard);
  EXPECT_THROW(wide.add(SimTime(), 5000, 1), InvalidInput);  // 200 blocks of 16 tokens
}

}  // namespace
}  // namespace warploom
