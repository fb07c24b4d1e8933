#include "warploom/app/plan/stop_watch.h"

#include <gtest/gtest.h>

#include "warploom/app/plan/make_plan.h"
#include "warploom/app/serving/fixed_latency_test.h"

namespace warploom {
namespace {

bool stops_within(const StopWatch& watch, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!watch.stopped() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return watch.stopped();
}

TEST(StopWatch, StopsWhenItsTimeIsOverOrWhenItIsCancelled) {
  EXPECT_TRUE(stops_within(StopWatch(nullptr, 0.01), 30));
  std::atomic<bool> cancelled{false};
  const StopWatch watch(&cancelled, 0);
  EXPECT_FALSE(stops_within(watch, 0.1));
  cancelled = true;
  EXPECT_TRUE(stops_within(watch, 30));
}

// One configuration with one fleet whose run alone takes far longer than the limit: asked between rounds
// alone, the search would end with it.
TEST(StopWatch, EndsASearchInsideARun) {
  PlanRequest request;
  request.model = "Llama-3.1-8B";
  request.space.gpus = {"H100-SXM"};
  request.space.tensor_parallel = {1};
  request.space.max_gpus = 1;
  request.source.random = RandomPrompts{.input_len = 600, .output_len = 400};
  request.source.rate = 2;
  request.source.requests = 2'000'000;
  request.slo = {"ttft_p95_ms=4000"};
  request.time_limit_s = 1;
  request.threads = 1;
  const PlanResult plan = make_plan(request, fixed_latency());
  EXPECT_TRUE(plan.search.partial);
  EXPECT_TRUE(plan.search.points.empty());
  ASSERT_EQ(plan.search.without_point.size(), 1U);
  EXPECT_EQ(plan.search.without_point[0].reason, "not reached in time");
  EXPECT_EQ(plan.search.whole_runs, 0) << "nothing of a run that was stopped is counted";
}

}  // namespace
}  // namespace warploom
