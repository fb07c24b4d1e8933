#include "warploom/serving/workload/session_workload.h"

#include <gtest/gtest.h>

#include <map>

#include "warploom/base/error.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

const LinearStepPricer kPricer({.per_step = milliseconds(2), .per_prompt_token = microseconds(50)});

SessionShape small_shape() {
  SessionShape shape;
  shape.sessions = 20;
  shape.turns = 4;
  shape.rate = 5;
  return shape;
}

ServingConfig config_of(const char* engine) {
  ServingConfig config;
  config.engine = engine;
  config.num_gpu_blocks_override = 1'000'000;
  config.enable_chunked_prefill = true;
  return config;
}

TEST(SessionWorkload, HoldsAllThatWasSaidBefore) {
  const Workload workload = session_workload(small_shape(), 1);
  check_workload(workload);
  ASSERT_EQ(workload.requests.size(), 80u);
  for (std::size_t i = 0; i < 80; ++i) {
    const WorkloadRequest& turn = workload.requests[i];
    EXPECT_EQ(turn.after, i % 4 == 0 ? -1 : std::int32_t(i) - 1);
    if (turn.after < 0) continue;
    const WorkloadRequest& before = workload.requests[i - 1];
    EXPECT_GT(turn.input_tokens, before.input_tokens + before.output_tokens);
  }
  SessionShape none = small_shape();
  none.turns = 0;
  EXPECT_THROW(session_workload(none, 1), InvalidInput);
}

TEST(SessionWorkload, TurnsWaitForTheAnswerBefore) {
  const Workload workload = session_workload(small_shape(), 2);
  const SimulationResult run = simulate(config_of("vllm"), workload, kPricer);
  EXPECT_EQ(run.metrics.completed, 80);
  for (std::size_t i = 0; i < 80; ++i) {
    const WorkloadRequest& turn = workload.requests[i];
    if (turn.after < 0) continue;
    EXPECT_EQ(run.requests[i].arrival, run.requests[std::size_t(turn.after)].last_token + turn.delay);
  }
}

TEST(SessionWorkload, PrefixCacheShortensPromptsOnEveryEngine) {
  const Workload workload = session_workload(small_shape(), 3);
  for (const char* engine : {"vllm", "sglang", "trtllm"}) {
    ServingConfig config = config_of(engine);
    const SimulationResult cached = simulate(config, workload, kPricer);
    config.enable_prefix_caching = false;
    const SimulationResult plain = simulate(config, workload, kPricer);
    EXPECT_EQ(plain.cached_tokens, 0);
    std::int64_t repeated = 0, inputs = 0;
    for (const WorkloadRequest& turn : workload.requests) {
      inputs += turn.input_tokens;
      if (turn.after < 0) continue;
      const WorkloadRequest& before = workload.requests[std::size_t(turn.after)];
      repeated += before.input_tokens + before.output_tokens;
    }
    // All of earlier turns but the end of a unit, and the system prompt of all sessions but those that start
    // before it is computed.
    EXPECT_GT(cached.cached_tokens, repeated - 60 * 32) << engine;
    EXPECT_LT(cached.cached_tokens, repeated + 20 * 500) << engine;
    EXPECT_LT(cached.metrics.ttft.mean, plain.metrics.ttft.mean) << engine;
    EXPECT_EQ(plain.totals.tokens - cached.totals.tokens, cached.cached_tokens) << engine;
    EXPECT_GT(inputs, 0);
  }
}

TEST(SessionWorkload, SmallCachesEvictAndStillFinish) {
  const Workload workload = session_workload(small_shape(), 4);
  for (const char* engine : {"vllm", "sglang", "trtllm"}) {
    ServingConfig config = config_of(engine);
    config.block_size = 16;
    config.num_gpu_blocks_override = 300;
    const SimulationResult run = simulate(config, workload, kPricer);
    EXPECT_EQ(run.metrics.completed, 80) << engine;
    EXPECT_GT(run.cached_tokens, 0) << engine;
  }
}

TEST(SessionWorkload, ClosedLoopKeepsThatManySessions) {
  Workload workload = session_workload(small_shape(), 5);
  set_closed_loop(workload, 3);
  const SimulationResult run = simulate(config_of("vllm"), workload, kPricer);
  EXPECT_EQ(run.metrics.completed, 80);
  EXPECT_LE(run.metrics.max_concurrent_requests, 3);
}

TEST(SessionWorkload, RoutingBySessionOrPrefixFindsWhatRoundRobinMisses) {
  const Workload workload = session_workload(small_shape(), 6);
  ServingConfig config = config_of("vllm");
  config.data_parallel_size = 4;
  std::map<RoutingPolicy, std::int64_t> cached;
  for (const auto& [policy, name] : EnumNames<RoutingPolicy>::kNames) {
    config.routing_policy = policy;
    cached[policy] = simulate(config, workload, kPricer).cached_tokens;
  }
  EXPECT_GT(cached[RoutingPolicy::SessionSticky], cached[RoutingPolicy::LeastLoaded]);
  EXPECT_GE(cached[RoutingPolicy::PrefixAware], cached[RoutingPolicy::LeastLoaded]);
  EXPECT_GT(cached[RoutingPolicy::PrefixAware], cached[RoutingPolicy::RoundRobin]);
}

}  // namespace
}  // namespace warploom
