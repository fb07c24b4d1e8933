#include "warploom/serving/simulation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/workload/fitted_workload.h"

namespace warploom {
namespace {

LinearStepPricer pricer_of(double scale = 1.0, std::size_t coupled_replicas = 1) {
  return LinearStepPricer({.per_step = milliseconds(5) * scale,
                           .per_token = microseconds(20) * scale,
                           .per_context_token = microseconds(0.01) * scale,
                           .spread = 0.1},
                          coupled_replicas);
}

ServingConfig small_config() {
  ServingConfig config;
  config.max_num_seqs = 16;
  config.max_num_batched_tokens = 256;
  return config;
}

Workload random_workload(std::int64_t requests, std::uint64_t seed, double rate = 5) {
  RandomStream random(seed, "test");
  Workload workload;
  workload.name = "random";
  for (std::int64_t i = 0; i < requests; ++i) {
    workload.requests.push_back(
        {SimTime(), std::int32_t(random.integer(1, 400)), std::int32_t(random.integer(1, 60))});
  }
  set_poisson_arrivals(workload, rate, seed);
  return workload;
}

Workload one_request(std::int32_t input, std::int32_t output) {
  return {.name = "one", .requests = {{SimTime(), input, output}}, .concurrency = {}};
}

TEST(Simulation, OneRequestTakesPrefillPlusDecodeSteps) {
  ServingConfig config = small_config();
  config.host = HostModel{};
  const LinearStepPricer pricer({.per_step = milliseconds(1), .per_token = microseconds(10)});
  const SimulationResult result = simulate(config, one_request(100, 11), pricer);
  EXPECT_EQ(result.totals.steps, 11);
  EXPECT_EQ(result.requests[0].ttft().nanoseconds(), 2'000'000);
  EXPECT_EQ(result.requests[0].e2el().nanoseconds(), 2'000'000 + 10 * 1'010'000);
  EXPECT_NEAR(result.metrics.tpot.mean.value(), 1.01e-3, 1e-12);
  EXPECT_NEAR(result.metrics.itl.p99.value(), 1.01e-3, 1e-6);
  EXPECT_EQ(result.metrics.max_concurrent_requests, 1);
}

TEST(Simulation, KernelsThatOverlapInAGraphMakeStepsShorter) {
  ServingConfig config = small_config();
  config.host = HostModel{};
  config.host.pause = milliseconds(-0.25);
  const LinearStepPricer pricer({.per_step = milliseconds(1), .per_token = microseconds(10)});
  EXPECT_NEAR(simulate(config, one_request(100, 11), pricer).metrics.tpot.mean.value(), 0.76e-3, 1e-12);
  config.host.pause = milliseconds(-2);
  EXPECT_NEAR(simulate(config, one_request(100, 11), pricer).metrics.tpot.mean.value(), 0.505e-3, 1e-12)
      << "half of the kernels' times at least";
}

TEST(Simulation, SharesAStepOfDecadesOutBetweenTheStages) {
  ServingConfig config = small_config();
  config.pipeline_parallel_size = 8;
  config.host = HostModel{};
  const LinearStepPricer pricer({.per_step = Seconds(2e9)});  // times eight stages: beyond 64 bits
  const SimulationResult result = simulate(config, one_request(100, 1), pricer);
  EXPECT_EQ(result.requests[0].e2el().nanoseconds(), 2'000'000'000'000'000'000);
}

TEST(Simulation, SplitsPromptsByTheTokenBudget) {
  ServingConfig config = small_config();
  const SimulationResult result = simulate(config, one_request(1000, 1), pricer_of());
  EXPECT_EQ(result.totals.steps, 4);
  config.long_prefill_token_threshold = 100;
  EXPECT_EQ(simulate(config, one_request(1000, 1), pricer_of()).totals.steps, 10);
}

TEST(Simulation, InfinitelyFastGpuLeavesTheHostCost) {
  ServingConfig config = small_config();
  config.async_scheduling = false;
  config.host = HostModel{.prepare = milliseconds(1),
                          .launch_graph = milliseconds(2),
                          .launch_pieces = milliseconds(2),
                          .launch_kernels = milliseconds(2),
                          .finish = milliseconds(3),
                          .finish_per_sequence = microseconds(7),
                          .frontend_latency = milliseconds(11)};
  const SimulationResult result = simulate(config, one_request(200, 3), LinearStepPricer({}));
  EXPECT_EQ(result.requests[0].ttft().nanoseconds(), 17'007'000);
  EXPECT_EQ(result.metrics.tpot.mean.value(), 6.007e-3);
  EXPECT_NEAR(result.totals.host.value(), 3 * 6.007e-3, 1e-12);
}

RC_GTEST_PROP(Simulation, ConservesRequestsAndTokens, ()) {
  ServingConfig config = small_config();
  config.async_scheduling = *rc::gen::arbitrary<bool>();
  const bool chunked = *rc::gen::arbitrary<bool>();
  config.engine = *rc::gen::elementOf(engine_names());
  config.block_size = 16;
  config.enable_chunked_prefill = chunked;
  config.chunked_prefill_size = *rc::gen::inRange(0, 4) * 128;
  config.schedule_conservativeness = *rc::gen::inRange(0, 3);
  config.enable_mixed_chunk = *rc::gen::arbitrary<bool>();
  config.capacity_scheduler_policy = *rc::gen::arbitrary<bool>() ? "max_utilization" : "guaranteed_no_evict";
  config.scheduler_reserve_full_isl = *rc::gen::arbitrary<bool>();
  config.max_num_batched_tokens = chunked ? 256 : 512;
  config.num_gpu_blocks_override = *rc::gen::inRange<std::int64_t>(29, 200);
  config.data_parallel_size = *rc::gen::inRange(1, 4);
  const std::size_t coupled = *rc::gen::arbitrary<bool>() ? std::size_t(config.data_parallel_size) : 1;
  const Workload workload =
      random_workload(*rc::gen::inRange(1, 60), *rc::gen::arbitrary<std::uint64_t>(), 50);
  const SimulationResult result = simulate(config, workload, pricer_of(1.0, coupled));
  RC_ASSERT(result.metrics.completed == std::int64_t(workload.requests.size()));
  std::int64_t needed = 0, outputs = 0, preemptions = 0;
  for (const RequestRecord& record : result.requests) {
    RC_ASSERT(record.arrival <= record.scheduled && record.scheduled < record.first_token);
    RC_ASSERT(record.first_token <= record.last_token);
    needed += record.input_tokens + record.output_tokens - 1;
    outputs += record.output_tokens;
    preemptions += record.preemptions;
  }
  RC_ASSERT(result.metrics.total_output_tokens == outputs);
  RC_ASSERT(result.preemptions == preemptions);
  // Every token is computed once, and again only after a preemption.
  RC_ASSERT(result.totals.tokens >= needed);
  if (preemptions == 0) RC_ASSERT(result.totals.tokens == needed);
  for (std::size_t i = 0; i < result.timeline.size(); ++i) {
    RC_ASSERT(result.timeline[i].kv_use >= 0 && result.timeline[i].kv_use <= 1);
    if (i > 0) RC_ASSERT(result.timeline[i].time > result.timeline[i - 1].time);
  }
}

TEST(Simulation, PreemptsAndRecovers) {
  ServingConfig config = small_config();
  config.num_gpu_blocks_override = 40;
  config.scheduler_reserve_full_isl = false;
  const SimulationResult result = simulate(config, random_workload(50, 1, 100), pricer_of());
  EXPECT_GT(result.preemptions, 0);
  EXPECT_EQ(result.metrics.completed, 50);
}

TEST(Simulation, GivesTheSameResultForTheSameInput) {
  const Workload workload = random_workload(200, 3, 20);
  const SimulationResult a = simulate(small_config(), workload, pricer_of());
  const SimulationResult b = simulate(small_config(), workload, pricer_of());
  ASSERT_EQ(a.requests.size(), b.requests.size());
  for (std::size_t i = 0; i < a.requests.size(); ++i)
    EXPECT_EQ(a.requests[i].last_token, b.requests[i].last_token);
  EXPECT_EQ(a.metrics.itl.mean, b.metrics.itl.mean);
}

TEST(Simulation, FasterKernelsNeverLowerThroughput) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Workload workload = random_workload(150, seed, 40);
    const double slow = simulate(small_config(), workload, pricer_of()).metrics.output_throughput;
    const double fast = simulate(small_config(), workload, pricer_of(0.5)).metrics.output_throughput;
    EXPECT_GE(fast, slow);
  }
}

TEST(Simulation, IsWorkConserving) {
  // All requests are there from the start: the GPU never waits, so the run lasts as long as its steps.
  Workload workload = random_workload(100, 9);
  for (WorkloadRequest& request : workload.requests) request.arrival = SimTime();
  for (const bool async : {false, true}) {
    ServingConfig config = small_config();
    config.async_scheduling = async;
    const SimulationResult result = simulate(config, workload, pricer_of());
    const double busy = (result.totals.gpu_p50 + result.totals.host).value();
    EXPECT_NEAR(result.metrics.duration.value(), busy, 1e-9 * double(result.totals.steps));
  }
}

TEST(Simulation, AsyncSchedulingMakesNewcomersWaitForTheStepAlreadyChosen) {
  ServingConfig config = small_config();
  config.host = HostModel{};
  const LinearStepPricer pricer({.per_step = milliseconds(10)});
  Workload workload = one_request(10, 100);
  workload.requests.push_back({to_sim_time(milliseconds(15)), 10, 5});
  EXPECT_EQ(simulate(config, workload, pricer).requests[1].ttft().nanoseconds(), 25'000'000);
  config.async_scheduling = false;
  EXPECT_EQ(simulate(config, workload, pricer).requests[1].ttft().nanoseconds(), 15'000'000);
}

TEST(Simulation, ClosedLoopKeepsTheConcurrency) {
  Workload workload =
      synthetic_workload({.requests = 80, .input_tokens = 100, .output_tokens = 30, .range_ratio = 0.8}, 1);
  set_closed_loop(workload, 8);
  const SimulationResult result = simulate(small_config(), workload, pricer_of());
  EXPECT_EQ(result.metrics.max_concurrent_requests, 8);
  EXPECT_EQ(result.metrics.completed, 80);
  EXPECT_EQ(result.requests[7].arrival, SimTime());
  EXPECT_GT(result.requests[8].arrival, SimTime());
}

TEST(Simulation, ReplicasShareTheLoad) {
  const Workload workload = random_workload(200, 5, 60);
  ServingConfig config = small_config();
  const SimulationResult one = simulate(config, workload, pricer_of());
  config.data_parallel_size = 4;
  config.routing_policy = RoutingPolicy::RoundRobin;
  const SimulationResult four = simulate(config, workload, pricer_of());
  EXPECT_LT(four.metrics.ttft.mean, one.metrics.ttft.mean);
  EXPECT_EQ(four.requests[6].replica, 2);
}

TEST(Simulation, RanksOfOneMixtureStepTogether) {
  // Two ranks, one with a long prompt: the other waits for it in its group, and does not alone.
  Workload workload = one_request(10, 3);
  workload.requests.push_back({SimTime(), 250, 3});
  ServingConfig config = small_config();
  config.data_parallel_size = 2;
  const SimTime alone = simulate(config, workload, pricer_of()).requests[0].first_token;
  const SimulationResult together = simulate(config, workload, pricer_of(1.0, 2));
  EXPECT_GT(together.requests[0].first_token, alone);
  EXPECT_EQ(together.requests[0].first_token, together.requests[1].first_token);
}

TEST(Simulation, IntervalsBracketTheRun) {
  const Workload workload = random_workload(100, 6, 10);
  const SimulationResult mid = simulate(small_config(), workload, pricer_of());
  const SimulationResult low = simulate(small_config(), workload, pricer_of(), {.step_time = StepTime::Low});
  const SimulationResult high =
      simulate(small_config(), workload, pricer_of(), {.step_time = StepTime::High});
  EXPECT_LT(low.metrics.ttft.mean, mid.metrics.ttft.mean);
  EXPECT_LT(mid.metrics.ttft.mean, high.metrics.ttft.mean);
  EXPECT_NEAR(mid.totals.gpu_p90 / mid.totals.gpu_p50, 1.1, 1e-9);
}

TEST(Simulation, StopsWhenCancelledWithAPartialResult) {
  std::atomic<bool> cancelled = false;
  SimulationOptions options;
  options.cancelled = &cancelled;
  options.on_progress = [&](const SimulationProgress& progress) { cancelled = progress.completed >= 20; };
  const SimulationResult result = simulate(small_config(), random_workload(200, 2, 20), pricer_of(), options);
  EXPECT_TRUE(result.partial);
  EXPECT_GE(result.metrics.completed, 20);
  EXPECT_EQ(result.metrics.completed + result.metrics.failed, 200);
  EXPECT_LT(result.metrics.completed, 200);
}

void expect_refused(const ServingConfig& config, const Workload& workload, const std::string& part) {
  try {
    simulate(config, workload, pricer_of());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Simulation, RefusesBadInputBeforeItRuns) {
  ServingConfig config = small_config();
  expect_refused(config, {.name = "none", .requests = {}, .concurrency = {}}, "no requests");
  Workload backwards = one_request(10, 10);
  backwards.requests[0].arrival = SimTime(5);
  backwards.requests.push_back({SimTime(4), 10, 10});
  expect_refused(config, backwards, "request 1 arrives");
  expect_refused(config, one_request(0, 10), "0 input tokens");
  config.num_gpu_blocks_override = 4;
  expect_refused(config, one_request(60, 10), "needs 5 KV blocks");
  config.num_gpu_blocks_override.reset();
  config.enable_chunked_prefill = false;
  expect_refused(config, one_request(300, 10), "chunked prefill");
  config.engine = "vlm";
  config.enable_chunked_prefill = true;
  expect_refused(config, one_request(3, 10), "did you mean 'vllm'");
  config = small_config();
  config.max_num_batched_tokens = 8;
  expect_refused(config, one_request(3, 10), "max_num_batched_tokens is 8");
}

TEST(Simulation, RunsTwentyThousandConversationsFast) {
  const Workload workload = sample_workload(fitted_workload("conversation"), 20000, 5.0, 1);
  ServingConfig config;
  const SimulationResult result = simulate(config, workload, pricer_of());
  EXPECT_EQ(result.metrics.completed, 20000);
}

TEST(Simulation, HostWorkOfAPipelineIsNotSharedOutOverItsStages) {
  ServingConfig config = small_config();
  config.host = HostModel{.prepare = milliseconds(1), .finish = milliseconds(8)};
  config.pipeline_parallel_size = 4;
  const LinearStepPricer pricer({.per_step = milliseconds(4)});
  const SimulationResult alone = simulate(config, one_request(10, 5), pricer);
  EXPECT_EQ(alone.requests[0].e2el().nanoseconds(), 5 * 13'000'000);
  // Twenty steps, whose outputs one process takes, 8 ms each.
  Workload four;
  for (std::int64_t i = 0; i < 4; ++i) four.requests.push_back({SimTime(i * 1'000'000), 10, 5});
  EXPECT_GE(simulate(config, four, pricer).metrics.duration.value(), 0.160);
}

TEST(Simulation, CutsOutputsAndRejectsPromptsBeyondTheModelsLengthAlone) {
  ServingConfig config = small_config();
  config.max_model_len = 100;
  Workload workload = one_request(91, 20);
  workload.requests.push_back({SimTime(), 100, 5});
  workload.requests.push_back({SimTime(), 50, 5});
  workload.requests.push_back({SimTime(), 10, 5, 1, SimDuration(1'000'000)});
  const SimulationResult run = simulate(config, workload, pricer_of());
  EXPECT_EQ(run.requests[0].tokens_emitted, 9);
  EXPECT_TRUE(run.requests[1].rejected);
  EXPECT_FALSE(run.requests[1].was_scheduled);
  EXPECT_TRUE(run.requests[2].completed());
  EXPECT_TRUE(run.requests[3].completed());  // the turn after the rejected one
  EXPECT_EQ(run.rejected, 1);
  EXPECT_EQ(run.cut, 1);
  EXPECT_EQ(run.metrics.failed, 1);
  config.data_parallel_size = 2;
  config.routing_policy = RoutingPolicy::RoundRobin;
  workload.requests.pop_back();
  EXPECT_EQ(simulate(config, workload, pricer_of()).requests[2].replica, 1);
}

TEST(Simulation, RejectsPromptsThatFitIntoNoStepAlone) {
  ServingConfig config = small_config();
  config.engine = "trtllm";
  config.enable_chunked_prefill = false;
  config.max_num_batched_tokens = 200;
  Workload workload = one_request(200, 5);
  workload.requests.push_back({SimTime(), 201, 5});
  const SimulationResult run = simulate(config, workload, pricer_of());
  EXPECT_TRUE(run.requests[0].completed());
  EXPECT_TRUE(run.requests[1].rejected);
  EXPECT_EQ(run.rejected, 1);
  EXPECT_EQ(run.cut, 0);
  EXPECT_EQ(run.metrics.failed, 1);
  workload.requests.erase(workload.requests.begin());
  EXPECT_THROW(simulate(config, workload, pricer_of()), InvalidInput);
  config.enable_chunked_prefill = true;
  EXPECT_TRUE(simulate(config, workload, pricer_of()).requests[0].completed());
}

TEST(Simulation, PipelineStagesOverlapTheStepsOfDifferentRequests) {
  ServingConfig config = small_config();
  config.host = HostModel{};
  config.pipeline_parallel_size = 4;
  const LinearStepPricer pricer({.per_step = milliseconds(4)});
  // Alone, a request sees the whole pipeline for every token.
  const SimulationResult alone = simulate(config, one_request(10, 5), pricer);
  EXPECT_EQ(alone.requests[0].e2el().nanoseconds(), 5 * 4'000'000);
  // Requests that come a stage apart share the pipeline without waiting for each other.
  Workload four;
  for (std::int64_t i = 0; i < 4; ++i) four.requests.push_back({SimTime(i * 1'000'000), 10, 5});
  const SimulationResult shared = simulate(config, four, pricer);
  for (const RequestRecord& record : shared.requests) EXPECT_EQ(record.e2el().nanoseconds(), 5 * 4'000'000);
  EXPECT_NEAR(shared.metrics.duration.value(), 23e-3, 1e-9);
}

RC_GTEST_PROP(Simulation, PipelinesConserveTokens, ()) {
  ServingConfig config = small_config();
  config.engine = *rc::gen::elementOf(engine_names());
  config.block_size = 16;
  config.max_num_batched_tokens = 512;
  config.pipeline_parallel_size = *rc::gen::inRange(2, 5);
  config.num_gpu_blocks_override = *rc::gen::inRange<std::int64_t>(40, 300);
  const Workload workload =
      random_workload(*rc::gen::inRange(1, 60), *rc::gen::arbitrary<std::uint64_t>(), 50);
  const SimulationResult result = simulate(config, workload, pricer_of());
  RC_ASSERT(result.metrics.completed == std::int64_t(workload.requests.size()));
  std::int64_t needed = 0;
  for (const RequestRecord& record : result.requests)
    needed += record.input_tokens + record.output_tokens - 1;
  RC_ASSERT(result.totals.tokens >= needed);
  if (result.preemptions == 0) RC_ASSERT(result.totals.tokens == needed);
}

}  // namespace
}  // namespace warploom
