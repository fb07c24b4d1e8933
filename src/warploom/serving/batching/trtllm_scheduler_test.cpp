#include "warploom/serving/batching/trtllm_scheduler.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

ServingConfig config_of(const char* policy) {
  ServingConfig config;
  config.engine = "trtllm";
  config.max_num_seqs = 8;
  config.max_num_batched_tokens = 128;
  config.block_size = 10;
  config.num_gpu_blocks_override = 20;
  config.capacity_scheduler_policy = policy;
  config.host = HostModel{};
  return config;
}

Workload at_once(int requests, std::int32_t input, std::int32_t output) {
  Workload workload;
  for (int i = 0; i < requests; ++i) workload.requests.push_back({SimTime(), input, output});
  return workload;
}

const LinearStepPricer kPricer({.per_step = milliseconds(1)});

TEST(TrtllmScheduler, NeverStopsWhatItStartedUnderGuaranteedNoEvict) {
  // 50 + 50 tokens need 10 blocks: two requests at a time.
  const SimulationResult result = simulate(config_of("guaranteed_no_evict"), at_once(6, 50, 51), kPricer);
  EXPECT_EQ(result.metrics.completed, 6);
  EXPECT_EQ(result.preemptions, 0);
  EXPECT_GT(result.requests[2].ttft(), result.requests[0].e2el() - SimDuration(1'000'000));
}

TEST(TrtllmScheduler, StartsMoreAndStopsSomeUnderMaxUtilization) {
  const SimulationResult safe = simulate(config_of("guaranteed_no_evict"), at_once(6, 50, 51), kPricer);
  ServingConfig config = config_of("max_utilization");
  config.max_num_batched_tokens = 256;
  const SimulationResult full = simulate(config, at_once(6, 50, 51), kPricer);
  EXPECT_EQ(full.metrics.completed, 6);
  EXPECT_GT(full.preemptions, 0);
  EXPECT_LT(full.requests[3].ttft(), safe.requests[3].ttft());
}

// Two prompts that were cut hold all six blocks, and each needs one more.
TEST(TrtllmScheduler, StopsTheLastOfPromptsThatHoldAllBlocksBetweenThem) {
  SchedulerState state{.kv_cache = KvCache(6, 16, 0, {})};
  for (const std::int32_t computed : {32, 64}) {
    const Slot slot = Slot(state.sequences.size());
    Sequence& sequence = state.sequences.emplace_back();
    sequence.input_tokens = 80;
    sequence.output_tokens = 2;
    ASSERT_TRUE(state.hold(sequence, computed));
    sequence.computed_tokens = computed;
    state.running.push_back(slot);
  }
  TrtllmScheduler scheduler({.max_num_seqs = 4,
                             .max_num_batched_tokens = 32,
                             .enable_chunked_prefill = true,
                             .guaranteed_no_evict = false});
  ScheduledBatch batch;
  scheduler.schedule(state, batch);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(state.running, std::vector<Slot>{0});
  EXPECT_EQ(state.preemptions, 1);
  scheduler.schedule(state, batch);
  EXPECT_EQ(batch.tokens(), 32);
}

TEST(TrtllmScheduler, TakesPromptsWholeUnlessTheyMayBeCut) {
  ServingConfig config = config_of("guaranteed_no_evict");
  config.num_gpu_blocks_override = 100;
  // 128 tokens in a step hold one prompt of 100.
  const SimulationResult whole = simulate(config, at_once(2, 100, 2), kPricer);
  EXPECT_EQ(whole.requests[0].ttft().nanoseconds(), 1'000'000);
  EXPECT_EQ(whole.requests[1].ttft().nanoseconds(), 2'000'000);
  EXPECT_THROW(simulate(config, at_once(1, 200, 2), kPricer), InvalidInput);
  config.enable_chunked_prefill = true;
  const SimulationResult cut = simulate(config, at_once(1, 200, 2), kPricer);
  EXPECT_EQ(cut.requests[0].ttft().nanoseconds(), 2'000'000);
}

TEST(TrtllmScheduler, PromptsWaitForOthersBesideDecodingRequests) {
  ServingConfig config = config_of("guaranteed_no_evict");
  config.num_gpu_blocks_override = 100;
  Workload workload = at_once(1, 50, 40);
  workload.requests.push_back({SimTime(2'500'000), 50, 2});
  const SimulationResult at_once_started = simulate(config, workload, kPricer);
  config.batch_wait_timeout_iters = 6;
  config.batch_wait_max_tokens_ratio = 0.9;
  const SimulationResult waited = simulate(config, workload, kPricer);
  // The first prompt finds nobody decoding and does not wait; the second lets six steps of a millisecond
  // pass.
  EXPECT_EQ(waited.requests[0].ttft(), at_once_started.requests[0].ttft());
  EXPECT_EQ((waited.requests[1].ttft() - at_once_started.requests[1].ttft()).nanoseconds(), 6'000'000);
  // Two prompts of 50 and the decoding request fill 0.7 of 128 tokens: they wait no longer.
  config.batch_wait_max_tokens_ratio = 0.7;
  workload.requests.push_back({SimTime(4'200'000), 50, 2});
  const SimulationResult filled = simulate(config, workload, kPricer);
  EXPECT_LT(filled.requests[1].ttft(), waited.requests[1].ttft() - SimDuration(1'000'000));
}

TEST(TrtllmScheduler, RefusesAnUnknownPolicy) {
  EXPECT_THROW(simulate(config_of("static_batch"), at_once(1, 10, 2), kPricer), InvalidInput);
}

}  // namespace
}  // namespace warploom
