#include "warploom/serving/cluster/latency_planner.h"

#include <gtest/gtest.h>

#include "warploom/base/random.h"
#include "warploom/serving/cluster/scaling_policy.h"
#include "warploom/serving/cluster/step_regression.h"

namespace warploom {
namespace {

AutoscalingConfig config_of(ScalingPolicy policy) {
  return {.max_instances = 20, .min_instances = 1, .policy = policy};
}

TEST(StepRegression, FindsThePlaneThatMadeTheSteps) {
  StepRegression plane(2);
  RandomStream draws(1, "plane");
  for (int i = 0; i < 200; ++i) {
    const double tokens = draws.uniform(0, 8000), contexts = draws.uniform(0, 1e6);
    plane.add({tokens, contexts}, Seconds(0.01 + 2e-6 * tokens + 1e-8 * contexts));
  }
  EXPECT_EQ(plane.size(), 64);
  EXPECT_NEAR(*plane.predict({4000, 5e5}), 0.01 + 0.008 + 0.005, 1e-9);
}

TEST(StepRegression, IsNothingBeforeFiveStepsAndWhereMoreLoadSeemsToShortenThem) {
  StepRegression line(1);
  for (int i = 0; i < 4; ++i) line.add({double(i), 0}, Seconds(1 + i));
  EXPECT_FALSE(line.predict({2, 0}));
  line.add({4, 0}, Seconds(5));
  EXPECT_NEAR(*line.predict({9, 0}), 10, 1e-9);
  StepRegression falling(1), may_fall(2, true);
  for (int i = 0; i < 8; ++i) {
    falling.add({double(i), 0}, Seconds(9 - i));
    may_fall.add({double(i), double(i * i)}, Seconds(10 - 0.1 * i + i * i));
  }
  EXPECT_FALSE(falling.predict({2, 0}));
  EXPECT_TRUE(may_fall.predict({2, 4}));
}

TEST(StepRegression, AnEvenLoadDoesNotPushTheOthersOut) {
  StepRegression line(1);
  for (int i = 1; i <= 10; ++i) line.add({1000.0 * i, 0}, Seconds(0.001 * i));
  for (int i = 0; i < 1000; ++i) line.add({500, 0}, Seconds(0.0005));
  EXPECT_NEAR(*line.predict({8000, 0}), 0.008, 1e-9);
}

// Dynamo's planner in load mode against limits.
//
// Steps of these engines take 10 ms, 1 us a prompt token and 0.1 us a token in the cache.
Seconds step_of(const EngineLoad& engine) {
  return Seconds(0.010 + 1e-6 * double(engine.prompt_tokens) + 1e-7 * double(engine.decode_tokens));
}

EngineLoad engine_with(std::int64_t prompt_tokens, std::int64_t decode_tokens, std::int64_t queued = 0) {
  EngineLoad engine{.prompt_tokens = prompt_tokens,
                    .prompts = prompt_tokens > 0 ? 1 : 0,
                    .decode_tokens = decode_tokens,
                    .decoding = decode_tokens / 1000,
                    .queued_prompt_tokens = queued};
  engine.step = step_of(engine);
  return engine;
}

PoolLoad pool_of(std::vector<EngineLoad> engines, PoolRole role = PoolRole::Whole) {
  return {.instances = std::ssize(engines), .role = role, .step_tokens = 8192, .engines = std::move(engines)};
}

AutoscalingConfig limits(double ttft_ms, double itl_ms) {
  AutoscalingConfig config = config_of(ScalingPolicy::PlannerLatency);
  config.ttft = milliseconds(ttft_ms);
  config.itl = milliseconds(itl_ms);
  return config;
}

// Looks at steps of many sizes, from which it learns.
std::unique_ptr<AutoscalingPolicy> taught(const AutoscalingConfig& config, PoolRole role) {
  auto planner = scaling_policy(config);
  for (std::int64_t i = 1; i <= 8; ++i) {
    const bool decodes = role != PoolRole::Prefill, prompts = role != PoolRole::Decode;
    PoolLoad load = pool_of({engine_with(prompts ? 1000 * (i % 4 + 1) : 0, decodes ? 20'000 * i : 0)}, role);
    load.starting = 1;  // it only looks
    EXPECT_EQ(planner->wanted(load), 1);
  }
  return planner;
}

TEST(LatencyPlanner, KnowsNothingBeforeItHasSeenFiveSteps) {
  const auto planner = scaling_policy(limits(1, 1));
  for (std::int64_t i = 1; i <= 4; ++i)
    EXPECT_EQ(planner->wanted(pool_of({engine_with(1000 * i, 30'000 * i * i)})), 1);
  EXPECT_EQ(planner->wanted(pool_of({engine_with(5000, 900'000)})), 2);
}

TEST(LatencyPlanner, StartsOneMoreWhereEveryPromptWouldComeLate) {
  const auto planner = taught(limits(100, 1000), PoolRole::Prefill);
  // Mean prompts of 2,500 tokens: 12.5 ms alone; behind 100,000 tokens 12 full steps of 18.2 ms and one more.
  const EngineLoad busy = engine_with(8192, 0, 100'000), idle = engine_with(0, 0);
  EXPECT_EQ(planner->wanted(pool_of({busy, busy}, PoolRole::Prefill)), 3);
  EXPECT_EQ(planner->wanted(pool_of({busy, idle}, PoolRole::Prefill)), 2) << "one of them is in time";
  EXPECT_EQ(planner->wanted(pool_of({idle, idle}, PoolRole::Prefill)), 1);
}

TEST(LatencyPlanner, LetsOneGoWhereTheOthersBearItsTokens) {
  const auto planner = taught(limits(1000, 50), PoolRole::Decode);
  // 10 ms and 0.1 us a token: 300,000 tokens are 40 ms, which is the share of the limit that two engines'
  // tokens on one must stay below.
  const EngineLoad light = engine_with(0, 100'000), heavy = engine_with(0, 200'000),
                   late = engine_with(0, 500'000);
  EXPECT_EQ(planner->wanted(pool_of({light, light}, PoolRole::Decode)), 1);
  EXPECT_EQ(planner->wanted(pool_of({heavy, heavy}, PoolRole::Decode)), 2);
  EXPECT_EQ(planner->wanted(pool_of({late, late}, PoolRole::Decode)), 3);
  PoolLoad small = pool_of({light, light}, PoolRole::Decode);
  small.cache_tokens = 150'000;
  EXPECT_EQ(planner->wanted(small), 2) << "the cache of one would not hold both";
}

TEST(LatencyPlanner, OfOnePoolBothLimitsMustAllowAnInstanceLess) {
  const EngineLoad quiet = engine_with(1000, 20'000);
  EXPECT_EQ(taught(limits(500, 50), PoolRole::Whole)->wanted(pool_of({quiet, quiet})), 1);
  // Own 16.5 ms of 18 once one bears the tokens of both, and four fifths of the rest for a queue of 4,000.
  const EngineLoad queued = engine_with(1000, 20'000, 2000);
  EXPECT_EQ(taught(limits(18, 50), PoolRole::Whole)->wanted(pool_of({queued, queued})), 2)
      << "the queue of both would take too long";
  EXPECT_EQ(taught(limits(25, 50), PoolRole::Whole)->wanted(pool_of({queued, queued})), 1);
  EXPECT_EQ(taught(limits(500, 5), PoolRole::Whole)->wanted(pool_of({quiet, quiet})), 3);
}

TEST(LatencyPlanner, ARateOfAnInstanceIsAFloor) {
  AutoscalingConfig config = limits(500, 50);
  config.instance_rate = 2;
  const auto planner = taught(config, PoolRole::Whole);
  PoolLoad load = pool_of({engine_with(1000, 20'000)});
  load.arrived = 1800;
  load.at = Seconds(180);
  EXPECT_EQ(planner->wanted(load), 5);  // 10 a second
}

}  // namespace
}  // namespace warploom
