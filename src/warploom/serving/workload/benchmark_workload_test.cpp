#include "warploom/serving/workload/benchmark_workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RandomPrompts, HasTheBenchmarksDefaults) {
  const Workload workload = random_prompts({}, 10, 1);
  for (const WorkloadRequest& request : workload.requests) {
    EXPECT_EQ(request.input_tokens, 1024);
    EXPECT_EQ(request.output_tokens, 128);
  }
  EXPECT_TRUE(workload.content_begin.empty());
}

TEST(RandomPrompts, DrawsAroundTheLength) {
  const Workload workload = random_prompts({.input_len = 101, .output_len = 11, .range_ratio = 0.5}, 4000, 1);
  const auto inputs =
      std::minmax_element(workload.requests.begin(), workload.requests.end(),
                          [](const auto& a, const auto& b) { return a.input_tokens < b.input_tokens; });
  const auto outputs =
      std::minmax_element(workload.requests.begin(), workload.requests.end(),
                          [](const auto& a, const auto& b) { return a.output_tokens < b.output_tokens; });
  EXPECT_EQ(inputs.first->input_tokens, 50);    // floor(50.5)
  EXPECT_EQ(inputs.second->input_tokens, 152);  // ceil(151.5)
  EXPECT_EQ(outputs.first->output_tokens, 5);
  EXPECT_EQ(outputs.second->output_tokens, 17);
}

TEST(RandomPrompts, SharesThePrefixAlone) {
  const Workload workload = random_prompts({.input_len = 20, .prefix_len = 300}, 3, 1);
  check_workload(workload);
  ASSERT_EQ(workload.content_of(0).size(), 2U);
  EXPECT_EQ(workload.requests[0].input_tokens, 320);
  EXPECT_EQ(workload.content_of(0)[0].content, workload.content_of(2)[0].content);
  EXPECT_EQ(workload.content_of(0)[0].tokens, 300);
  EXPECT_NE(workload.content_of(0)[1].content, workload.content_of(2)[1].content);
}

TEST(RandomPrompts, RefusesEmptyPromptsAndARatioOfOne) {
  EXPECT_THROW(random_prompts({.input_len = 1, .range_ratio = 0.5}, 3, 1), InvalidInput);
  EXPECT_THROW(random_prompts({.range_ratio = 1}, 3, 1), InvalidInput);
  EXPECT_THROW(random_prompts({}, 0, 1), InvalidInput);
}

TEST(BenchmarkArrivals, EndWhenTheRateSays) {
  for (const double burstiness : {0.3, 1.0, 5.0}) {
    Workload workload = random_prompts({}, 200, 1);
    set_benchmark_arrivals(workload, 8, burstiness, 1);
    check_workload(workload);
    EXPECT_GT(workload.requests.front().arrival, SimTime());
    EXPECT_NEAR(workload.requests.back().arrival.seconds().value(), 25, 1e-6);
  }
}

TEST(BenchmarkArrivals, ComeTogetherAtAnInfiniteRate) {
  Workload workload = random_prompts({}, 20, 1);
  set_benchmark_arrivals(workload, kInfinity, 1, 1);
  for (const WorkloadRequest& request : workload.requests) EXPECT_EQ(request.arrival, SimTime());
  EXPECT_TRUE(workload.timed);
  EXPECT_THROW(set_benchmark_arrivals(workload, 0, 1, 1), InvalidInput);
  EXPECT_THROW(set_benchmark_arrivals(workload, 1, 0, 1), InvalidInput);
  EXPECT_THROW(set_benchmark_arrivals(workload, std::nan(""), 1, 1), InvalidInput);
}

SimulationResult run(const Workload& workload) {
  ServingConfig config;
  config.num_gpu_blocks_override = 4000;
  return simulate(config, workload, LinearStepPricer({.per_step = milliseconds(10)}));
}

TEST(BenchmarkArrivals, WaitAtTheClientWhileTooManyAreInFlight) {
  Workload open = random_prompts({.input_len = 50, .output_len = 20, .range_ratio = 0.5}, 60, 1);
  Workload closed = open;
  set_benchmark_arrivals(open, kInfinity, 1, 1);
  open.most_in_flight = 8;
  set_closed_loop(closed, 8);
  const SimulationResult capped = run(open), loop = run(closed);
  for (std::size_t i = 0; i < capped.requests.size(); ++i) {
    EXPECT_EQ(capped.requests[i].arrival, loop.requests[i].arrival) << i;
    EXPECT_EQ(capped.requests[i].first_token, loop.requests[i].first_token) << i;
  }
  EXPECT_EQ(capped.metrics.max_concurrent_requests, 8);
}

TEST(BenchmarkArrivals, AreTheirOwnWhenFewAreInFlight) {
  Workload workload = random_prompts({.input_len = 50, .output_len = 20}, 40, 1);
  set_benchmark_arrivals(workload, 2, 1, 1);
  const SimulationResult free = run(workload);
  workload.most_in_flight = 30;
  const SimulationResult capped = run(workload);
  EXPECT_EQ(free.metrics.e2el.mean.value(), capped.metrics.e2el.mean.value());
  workload.most_in_flight = 1;
  EXPECT_EQ(run(workload).metrics.max_concurrent_requests, 1);
}

}  // namespace
}  // namespace warploom
