#include "warploom/serving/cluster/planner_benchmark.h"

#include <gtest/gtest.h>

#include "warploom/serving/pricing/linear_step_pricer_test.h"

namespace warploom {
namespace {

PoolPlan plan_with(const StepPricer& pricer) {
  PoolPlan plan;
  plan.config.max_num_seqs = 32;
  plan.config.max_num_batched_tokens = 2048;
  plan.config.max_model_len = 6001;
  plan.config.num_gpu_blocks_override = 1000;
  plan.config.block_size = 16;
  plan.pricer = &pricer;
  return plan;
}

TEST(PlannerBenchmark, LooksAtPromptsUpToAStepAndAtRequestsUpToTheCache) {
  const LinearStepPricer pricer(LinearStepTime{.per_step = milliseconds(10)});
  const PoolLoad look = benchmark_of(plan_with(pricer), PoolRole::Whole);
  ASSERT_EQ(look.engines.size(), 16 + 36);
  EXPECT_EQ(look.starting, 1);
  EXPECT_EQ(look.engines[0].prompt_tokens, 128);
  EXPECT_EQ(look.engines[15].prompt_tokens, 2048);
  for (std::size_t i = 16; i < look.engines.size(); ++i) {
    EXPECT_LE(look.engines[i].decode_tokens, 16'000);
    EXPECT_LE(look.engines[i].decoding, 32);
    EXPECT_GT(look.engines[i].step.value(), 0);
  }
  EXPECT_EQ(benchmark_of(plan_with(pricer), PoolRole::Prefill).engines.size(), 16);
  EXPECT_EQ(benchmark_of(plan_with(pricer), PoolRole::Decode).engines.size(), 36);
}

}  // namespace
}  // namespace warploom
