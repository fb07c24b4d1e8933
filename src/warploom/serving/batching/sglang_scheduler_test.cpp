#include "warploom/serving/batching/sglang_scheduler.h"

#include <gtest/gtest.h>

#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

SchedulerState state_with(std::int64_t blocks) { return {.kv_cache = KvCache(blocks, 1)}; }

void add(SchedulerState& state, std::int32_t input, std::int32_t output) {
  Sequence sequence;
  sequence.request = std::uint32_t(state.sequences.size());
  sequence.input_tokens = input;
  sequence.output_tokens = output;
  state.waiting.push_back(Slot(state.sequences.size()));
  state.sequences.push_back(sequence);
}

SglangLimits limits() {
  SglangLimits limits;
  limits.max_num_seqs = 8;
  limits.max_num_batched_tokens = 1000;
  limits.chunked_prefill_size = 100;
  return limits;
}

ScheduledBatch next(SglangScheduler& scheduler, SchedulerState& state) {
  ScheduledBatch batch;
  scheduler.schedule(state, batch);
  return batch;
}

TEST(SglangScheduler, PrefillsBeforeItDecodes) {
  SglangScheduler scheduler(limits());
  SchedulerState state = state_with(10000);
  add(state, 40, 5);
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 40);
  EXPECT_EQ(next(scheduler, state).decode_contexts.size(), 1u);
  add(state, 30, 5);
  const ScheduledBatch prefill = next(scheduler, state);
  EXPECT_EQ(prefill.chunk_tokens, 30);
  EXPECT_TRUE(prefill.decode_contexts.empty());
  EXPECT_EQ(next(scheduler, state).decode_contexts.size(), 2u);
}

TEST(SglangScheduler, LooksForRequestsEveryNthDecodeAndAfterPrefill) {
  SglangLimits rarely = limits();
  rarely.receive_interval = 3;
  SglangScheduler scheduler(rarely);
  SchedulerState state = state_with(10000);
  add(state, 40, 50);
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 40);  // an idle engine looks at once
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 0);   // looked after the prefill: nothing there
  add(state, 30, 50);
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 0);
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 0);
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 30);
  add(state, 20, 50);
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 20);
}

TEST(SglangScheduler, MixesDecodeIntoPrefillWhenAsked) {
  SglangLimits mixed = limits();
  mixed.mix_decode = true;
  SglangScheduler scheduler(mixed);
  SchedulerState state = state_with(10000);
  add(state, 40, 5);
  next(scheduler, state);
  add(state, 30, 5);
  const ScheduledBatch batch = next(scheduler, state);
  EXPECT_EQ(batch.chunk_tokens, 30);
  EXPECT_EQ(batch.decode_contexts.size(), 1u);
  EXPECT_EQ(batch.emitting.size(), 2u);
}

TEST(SglangScheduler, CutsOnePromptAtTheChunkAndFinishesItFirst) {
  SglangScheduler scheduler(limits());
  SchedulerState state = state_with(10000);
  add(state, 60, 5);
  add(state, 90, 5);
  add(state, 10, 5);
  const ScheduledBatch first = next(scheduler, state);
  EXPECT_EQ(first.chunk_tokens, 100);  // 60 whole and 40 of the second
  EXPECT_EQ(first.emitting.size(), 1u);
  const ScheduledBatch second = next(scheduler, state);
  ASSERT_EQ(second.chunks.size(), 2u);
  EXPECT_EQ(second.chunks[0].tokens, 50);
  EXPECT_EQ(second.chunks[0].context, 40);
  EXPECT_EQ(second.chunks[1].tokens, 10);
  EXPECT_EQ(second.emitting.size(), 2u);
}

TEST(SglangScheduler, AdmitsByTheOutputThatRunningRequestsAreExpectedToNeed) {
  // Free are 150, promised 99 * 0.7 = 69.3: a request of 40 + 50 does not fit, one of 40 + 30 does.
  for (const std::int32_t outputs : {50, 30}) {
    SglangScheduler scheduler(limits());
    SchedulerState state = state_with(200);
    add(state, 50, 100);
    next(scheduler, state);
    add(state, 40, outputs);
    const ScheduledBatch batch = next(scheduler, state);
    EXPECT_EQ(batch.decode_contexts.size(), outputs == 50 ? 1u : 0u);
    EXPECT_EQ(batch.chunk_tokens, outputs == 50 ? 0 : 40);
  }
}

TEST(SglangScheduler, RetractsTheRequestWithTheFewestOutputsAndRaisesTheRatio) {
  SglangLimits bold = limits();
  bold.conservativeness = 0.0;  // admits without regard to outputs that are still to come
  SglangScheduler scheduler(bold);
  SchedulerState state = state_with(45);
  add(state, 20, 20);
  next(scheduler, state);
  next(scheduler, state);
  add(state, 10, 10);
  ASSERT_EQ(next(scheduler, state).chunk_tokens, 10);
  for (int step = 0; step < 7; ++step) ASSERT_EQ(next(scheduler, state).decode_contexts.size(), 2u);
  const ScheduledBatch batch = next(scheduler, state);
  EXPECT_EQ(batch.decode_contexts.size(), 1u);
  EXPECT_EQ(state.sequences[1].preemptions, 1);
  EXPECT_EQ(state.waiting.back(), 1u);
  EXPECT_GT(scheduler.new_token_ratio(), 0.5);
}

TEST(SglangScheduler, StartsAnewWithTheFirstRatioAfterALull) {
  SglangScheduler scheduler(limits());
  SchedulerState state = state_with(10000);
  const double first = scheduler.new_token_ratio();
  add(state, 40, 5);
  for (int step = 0; step < 5; ++step) next(scheduler, state);
  EXPECT_LT(scheduler.new_token_ratio(), first);
  state.release(state.sequences[0]);
  state.running.clear();  // it ended
  EXPECT_TRUE(next(scheduler, state).empty());
  EXPECT_EQ(scheduler.new_token_ratio(), first);
}

TEST(SglangScheduler, AFullBatchAdmitsNobodyBeforeARequestLeft) {
  SglangScheduler scheduler(limits());
  SchedulerState state = state_with(200);
  add(state, 50, 100);
  next(scheduler, state);
  add(state, 40, 70);
  EXPECT_EQ(next(scheduler, state).decode_contexts.size(), 1u);  // 40 + 70 do not fit beside what is promised
  state.sequences[1].output_tokens = 2;                          // now it would fit
  EXPECT_EQ(next(scheduler, state).decode_contexts.size(), 1u);
  state.release(state.sequences[0]);
  state.running.clear();
  EXPECT_EQ(next(scheduler, state).chunk_tokens, 40);
}

TEST(SglangScheduler, ACutPromptAndTheLastDecodingRequestDoNotBlockEachOther) {
  Workload workload;
  workload.requests.push_back({SimTime(), 100, 1400});
  workload.requests.push_back({SimTime(2'000'000'000), 5000, 1});
  const LinearStepPricer pricer({.per_step = milliseconds(5), .per_token = microseconds(20)});
  for (const bool mixed : {true, false}) {
    for (std::int64_t tokens = 5010; tokens < 6500; tokens += 10) {
      ServingConfig config;
      config.engine = "sglang";
      config.chunked_prefill_size = 64;
      config.enable_mixed_chunk = mixed;
      config.num_gpu_blocks_override = tokens;
      EXPECT_EQ(simulate(config, workload, pricer).metrics.completed, 2) << tokens;
    }
  }
}

TEST(SglangScheduler, LongestPrefixFirstKeepsEqualStartsForLater) {
  // Nothing is cached: of four prompts with one start, the first goes ahead and the others come last.
  Workload workload;
  workload.content_begin.push_back(0);
  for (std::uint64_t i = 0; i < 5; ++i) {
    workload.requests.push_back({SimTime(), 200, 10});
    workload.content.push_back({i < 4 ? 1u : 2u, 160});
    workload.content.push_back({100 + i, 40});
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
  }
  ServingConfig config;
  config.engine = "sglang";
  config.schedule_policy = "lpm";
  config.max_num_seqs = 2;
  config.chunked_prefill_size = 500;
  config.max_num_batched_tokens = 500;
  const LinearStepPricer pricer({.per_step = milliseconds(5), .per_token = microseconds(20)});
  const SimulationResult run = simulate(config, workload, pricer);
  EXPECT_EQ(run.requests[4].scheduled, run.requests[0].scheduled);
  EXPECT_EQ(run.cached_tokens, 3 * 160);
}

TEST(SglangScheduler, GivesTheFirstTokenSoonerAndLaterOnesLaterThanChunksBesideDecode) {
  Workload workload;
  for (int i = 0; i < 40; ++i) workload.requests.push_back({SimTime(std::int64_t(i) * 100'000'000), 400, 60});
  ServingConfig config;
  config.max_num_seqs = 32;
  config.max_num_batched_tokens = 512;
  config.block_size = 1;
  const LinearStepPricer pricer({.per_step = milliseconds(5), .per_token = microseconds(20)});
  const SimulationResult mixed = simulate(config, workload, pricer);
  config.engine = "sglang";
  config.chunked_prefill_size = 512;
  const SimulationResult prefill_first = simulate(config, workload, pricer);
  EXPECT_EQ(prefill_first.metrics.completed, 40);
  EXPECT_LT(prefill_first.metrics.ttft.mean, mixed.metrics.ttft.mean);
  EXPECT_GT(prefill_first.metrics.tpot.mean, mixed.metrics.tpot.mean);
}

}  // namespace
}  // namespace warploom
