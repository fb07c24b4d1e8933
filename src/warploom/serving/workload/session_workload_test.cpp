#include "warploom/serving/workload/session_workload.h"

#include <gtest/gtest.h>

#include <algorithm>
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

SessionShape agents() {
  SessionShape shape = small_shape();
  shape.turns = 10;
  shape.spread = SessionSpread::Heavy;
  shape.tool_share = 0.7;
  shape.branch_share = 0.3;
  return shape;
}

TEST(SessionWorkload, BranchesShareWhatWasSaidAndAreWaitedFor) {
  const Workload workload = session_workload(agents(), 7);
  check_workload(workload);
  ASSERT_GT(workload.further_parents.size(), 5u);
  const FurtherParent& join = workload.further_parents[0];
  const auto first_turn_of = [&](std::int32_t turn) {  // of a branch of three turns
    return workload.requests[std::size_t(workload.requests[std::size_t(turn)].after)].after;
  };
  const std::int32_t left = first_turn_of(workload.requests[join.request].after);
  const std::int32_t right = first_turn_of(std::int32_t(join.parent));
  const auto of = [&](std::int32_t turn) { return workload.content_of(std::size_t(turn)); };
  EXPECT_EQ(workload.requests[std::size_t(left)].after, workload.requests[std::size_t(right)].after);
  ASSERT_EQ(of(left).size(), 3u);  // system prompt, what was said, and its own
  EXPECT_EQ(of(left)[1].content, of(right)[1].content);
  EXPECT_EQ(of(left)[1].tokens, of(right)[1].tokens);
  EXPECT_NE(of(left)[2].content, of(right)[2].content);
  SessionShape fresh = agents();
  fresh.branches_fork = false;
  const Workload apart = session_workload(fresh, 7);
  EXPECT_EQ(apart.content_of(std::size_t(left)).size(), 2u);
  EXPECT_LT(apart.requests[std::size_t(left)].input_tokens,
            workload.requests[std::size_t(left)].input_tokens);
}

TEST(SessionWorkload, HeavySessionsHaveTheMeansThatTheyState) {
  SessionShape shape;
  shape.sessions = 4000;
  shape.turns = 8;
  shape.spread = SessionSpread::Heavy;
  shape.tool_share = 1;
  shape.tool_tokens = 300;
  const Workload workload = session_workload(shape, 3);
  EXPECT_NEAR(double(workload.requests.size()) / 4000, 8, 0.4);
  double outputs = 0, added = 0, time = 0;
  std::int64_t later = 0;
  for (const WorkloadRequest& turn : workload.requests) {
    outputs += turn.output_tokens;
    if (turn.after < 0) continue;
    const WorkloadRequest& before = workload.requests[std::size_t(turn.after)];
    added += turn.input_tokens - before.input_tokens - before.output_tokens;
    time += turn.delay.seconds().value();
    ++later;
  }
  EXPECT_NEAR(outputs / double(workload.requests.size()), 200, 6);
  EXPECT_NEAR(added / double(later), 300, 9);
  EXPECT_NEAR(time / double(later), 2, 0.06);
}

TEST(SessionWorkload, ClosedLoopCountsASessionUntilItsLastBranchIsDone) {
  Workload workload = session_workload(agents(), 8);
  set_closed_loop(workload, 1);
  const SimulationResult run = simulate(config_of("vllm"), workload, kPricer);
  EXPECT_EQ(run.metrics.completed, std::ssize(workload.requests));
  SimTime ended;  // of the sessions so far
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const bool is_first = workload.requests[i].after < 0;
    EXPECT_TRUE(!is_first || run.requests[i].arrival >= ended) << i;
    ended = std::max(ended, run.requests[i].last_token);
  }
}

// No prompt outgrows a model whose room is a turn above the limit.
TEST(SessionWorkload, SummariesKeepPromptsShort) {
  SessionShape shape = small_shape();
  shape.turns = 40;
  shape.branch_share = 0.3;
  const Workload grows = session_workload(shape, 3);
  shape.compact_at_tokens = 4000;
  shape.summary_tokens = 600;
  const Workload compacted = session_workload(shape, 3);
  check_workload(compacted);
  const auto longest = [](const Workload& workload) {
    return std::max_element(workload.requests.begin(), workload.requests.end(),
                            [](const auto& a, const auto& b) { return a.input_tokens < b.input_tokens; })
        ->input_tokens;
  };
  EXPECT_GT(longest(grows), 16'000);
  EXPECT_LT(longest(compacted), 4000 + 2 * 750);
  EXPECT_GT(compacted.requests.size(), grows.requests.size());
}

// A turn that is shorter than the one it waits for begins with that one's answer, the summary of a prompt
// beyond the limit.
TEST(SessionWorkload, TurnsBehindASummaryBeginWithIt) {
  SessionShape shape = small_shape();
  shape.turns = 40;
  shape.compact_at_tokens = 4000;
  shape.summary_tokens = 600;
  const Workload workload = session_workload(shape, 3);
  std::size_t summaries = 0;
  for (const WorkloadRequest& turn : workload.requests) {
    if (turn.after < 0) continue;
    const WorkloadRequest& before = workload.requests[std::size_t(turn.after)];
    if (turn.input_tokens > before.input_tokens + before.output_tokens || turn.delay == SimDuration())
      continue;
    EXPECT_GT(before.input_tokens, shape.compact_at_tokens);
    EXPECT_EQ(before.delay, SimDuration());
    const std::int64_t kept = shape.system_prompt_tokens + before.output_tokens;
    EXPECT_GT(turn.input_tokens, kept);
    EXPECT_LE(turn.input_tokens, kept + 300);
    ++summaries;
  }
  EXPECT_GT(summaries, 20u);
}

TEST(SessionWorkload, RefusesLimitsThatASummaryFills) {
  SessionShape shape = small_shape();
  shape.summary_tokens = 100;
  EXPECT_THROW(session_workload(shape, 1), InvalidInput);  // without a limit
  shape.compact_at_tokens = shape.system_prompt_tokens + 100;
  EXPECT_THROW(session_workload(shape, 1), InvalidInput);
  shape.compact_at_tokens += 1;
  EXPECT_NO_THROW(session_workload(shape, 1));
}

TEST(SessionWorkload, RefusesWhatBearsOnNothing) {
  SessionShape shape = small_shape();
  shape.branches = 5;
  EXPECT_THROW(session_workload(shape, 1), InvalidInput);
  shape = small_shape();
  shape.tool_tokens = 5;
  EXPECT_THROW(session_workload(shape, 1), InvalidInput);
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
