#include "warploom/serving/batching/vllm_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "warploom/serving/batching/sglang_scheduler.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

const LinearStepPricer kPricer({.per_step = milliseconds(5), .per_token = microseconds(20)});

Workload classes() {
  Workload workload;
  for (int i = 0; i < 60; ++i) {
    WorkloadRequest request{SimTime(std::int64_t(i) * 1'000'000), 200, 20};
    request.priority = i % 3 == 0 ? 0 : 5;
    workload.requests.push_back(request);
  }
  return workload;
}

double mean_ttft(const SimulationResult& run, const Workload& workload, std::int32_t priority) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    if (workload.requests[i].priority != priority) continue;
    sum += run.requests[i].ttft().seconds().value();
    ++count;
  }
  return sum / count;
}

TEST(VllmScheduler, PriorityServesTheLowerNumberFirst) {
  const Workload workload = classes();
  ServingConfig config;
  config.max_num_seqs = 4;
  config.max_num_batched_tokens = 512;
  const SimulationResult fcfs = simulate(config, workload, kPricer);
  config.scheduling_policy = "priority";
  const SimulationResult ranked = simulate(config, workload, kPricer);
  EXPECT_LT(mean_ttft(ranked, workload, 0), 0.7 * mean_ttft(fcfs, workload, 0));
  EXPECT_GT(mean_ttft(ranked, workload, 5), mean_ttft(fcfs, workload, 5));
  EXPECT_EQ(ranked.metrics.completed, 60);
}

TEST(VllmScheduler, PriorityPreemptsTheOneServedLast) {
  ServingConfig config;
  config.max_num_seqs = 8;
  config.max_num_batched_tokens = 512;
  config.num_gpu_blocks_override = 28;
  config.scheduler_reserve_full_isl = false;
  config.scheduling_policy = "priority";
  Workload workload;
  for (int i = 0; i < 2; ++i) workload.requests.push_back({SimTime(), 200, 60});
  workload.requests[0].priority = 9;  // admitted first, served last
  const SimulationResult run = simulate(config, workload, kPricer);
  EXPECT_GT(run.requests[0].preemptions, 0);
  EXPECT_EQ(run.requests[1].preemptions, 0);
}

// Two long requests that do not fit together; the one served last came first.
Workload low_before_high() {
  Workload workload;
  for (int i = 0; i < 2; ++i) workload.requests.push_back({SimTime(std::int64_t(i) * 50'000'000), 1000, 600});
  workload.requests[0].priority = 9;
  return workload;
}

TEST(VllmScheduler, NeverPreemptsAHigherPriorityForALower) {
  for (const bool async : {true, false}) {
    for (std::int64_t blocks = 150; blocks < 200; ++blocks) {
      ServingConfig config;
      config.scheduling_policy = "priority";
      config.async_scheduling = async;
      config.num_gpu_blocks_override = blocks;
      const SimulationResult run = simulate(config, low_before_high(), kPricer);
      EXPECT_EQ(run.metrics.completed, 2) << blocks;
      EXPECT_EQ(run.requests[1].preemptions, 0) << blocks;
      EXPECT_GT(run.requests[0].preemptions, 0) << blocks;
    }
  }
}

TEST(VllmScheduler, TakesATokenBackFromWhatTheStepHeldAlready) {
  VllmScheduler scheduler({.by_priority = true});
  SchedulerState state{.kv_cache = KvCache(5, 16), .by_priority = true};
  for (std::uint32_t i = 0; i < 2; ++i) {
    Sequence sequence;
    sequence.request = i;
    sequence.priority = i == 0 ? 5 : 1;
    sequence.input_tokens = 32;
    sequence.output_tokens = 4;
    state.sequences.push_back(sequence);
    state.enqueue(Slot(i));
  }
  ScheduledBatch prompts, step;
  scheduler.schedule(state, prompts);
  ASSERT_EQ(prompts.chunk_tokens, 64);
  std::swap(state.running[0], state.running[1]);  // as if the lower had been admitted first
  scheduler.schedule(state, step);
  ASSERT_EQ(step.emitting.size(), 1u);
  EXPECT_EQ(step.emitting[0].slot, 1u);
  EXPECT_EQ(state.sequences[0].preemptions, 1);
  EXPECT_EQ(state.sequences[1].preemptions, 0);
}

TEST(VllmScheduler, GivesBlocksBehindTheWindowBack) {
  // One group of layers that keep all and five that see 64 tokens: 1000 tokens take 63 + 5 x 5 blocks.
  ServingConfig config;
  config.kv_layout = {.full = 1, .windowed = 5, .window = 64};
  config.max_num_batched_tokens = 256;
  config.max_num_seqs = 256;
  config.num_gpu_blocks_override = 4 * (63 + 5 * 5) + 5 * 17;
  Workload workload;
  for (int i = 0; i < 4; ++i) workload.requests.push_back({SimTime(), 900, 100});
  const SimulationResult run = simulate(config, workload, kPricer);
  EXPECT_EQ(run.preemptions, 0);
  EXPECT_EQ(run.metrics.completed, 4);
  config.kv_layout.window = 1'000'000;
  EXPECT_GT(simulate(config, workload, kPricer).metrics.duration, 1.5 * run.metrics.duration);
}

TEST(VllmScheduler, StatesOfLinearLayersTakeTheirBlocks) {
  ServingConfig config;
  config.kv_layout = {.full = 1, .state = 20};
  config.num_gpu_blocks_override = 75;
  Workload workload;
  for (int i = 0; i < 9; ++i) workload.requests.push_back({SimTime(), 50, 10});
  const SimulationResult run = simulate(config, workload, kPricer);
  std::int64_t most = 0;
  for (const TimelineSample& sample : run.timeline) most = std::max(most, sample.running);
  EXPECT_EQ(most, 3);
}

TEST(SglangScheduler, OrdersTheQueueByItsPolicy) {
  Workload workload;
  for (int i = 0; i < 12; ++i) workload.requests.push_back({SimTime(), 100, i % 2 == 0 ? 10 : 40});
  ServingConfig config;
  config.engine = "sglang";
  config.max_num_seqs = 2;
  config.max_num_batched_tokens = 512;
  config.chunked_prefill_size = 512;
  const SimulationResult fcfs = simulate(config, workload, kPricer);
  EXPECT_EQ(fcfs.requests[0].queued, fcfs.requests[0].arrival);
  config.schedule_policy = "lof";
  const SimulationResult longest = simulate(config, workload, kPricer);
  for (std::size_t i = 0; i < 12; i += 2)
    EXPECT_GT(longest.requests[i].scheduled, longest.requests[(i + 1) % 12].scheduled);
  config.schedule_policy = "random";
  EXPECT_EQ(simulate(config, workload, kPricer).metrics.completed, 12);
  config.schedule_policy = "dfs";
  EXPECT_ANY_THROW(simulate(config, workload, kPricer));
}

TEST(SglangScheduler, LongestPrefixFirstFindsMoreInTheCache) {
  Workload workload;
  workload.content_begin.push_back(0);
  for (std::uint64_t i = 0; i < 40; ++i) {
    workload.requests.push_back({SimTime(), 400, 10});
    workload.content.push_back({i % 4, 320});
    workload.content.push_back({100 + i, 80});
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
  }
  ServingConfig config;
  config.engine = "sglang";
  config.max_num_seqs = 2;
  config.max_num_batched_tokens = 400;
  config.chunked_prefill_size = 400;
  config.num_gpu_blocks_override = 1000;
  const SimulationResult fcfs = simulate(config, workload, kPricer);
  config.schedule_policy = "lpm";
  const SimulationResult lpm = simulate(config, workload, kPricer);
  EXPECT_EQ(lpm.metrics.completed, 40);
  EXPECT_GT(lpm.cached_tokens, fcfs.cached_tokens);
}

}  // namespace
}  // namespace warploom
