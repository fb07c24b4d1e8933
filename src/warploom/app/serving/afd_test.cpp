// Attention and feed-forward apart, as the use cases have it.
#include <gtest/gtest.h>

#include <string>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

ServingSetupRequest apart(std::int64_t attention = 8, std::int64_t experts = 8) {
  ServingSetupRequest request;
  request.model = "DeepSeek-V3";
  request.gpu = "GB200";
  request.config.num_attention_ranks = attention;
  request.config.num_ffn_ranks = experts;
  request.config.enable_expert_parallel = true;
  request.config.enforce_eager = true;  // no padding
  return request;
}

std::string refusal_of(const ServingSetupRequest& request) {
  try {
    (void)resolve_asked(request, fixed_latency());
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

void expect_refused(const ServingSetupRequest& request, const std::string& part) {
  EXPECT_NE(refusal_of(request).find(part), std::string::npos) << refusal_of(request);
}

TEST(Afd, AStepHasThePriceOfARun) {
  for (const bool gate : {false, true}) {
    for (const std::int64_t stages : {1, 2, 3}) {
      ServingSetupRequest request = apart();
      request.config.compute_gate_on_attention = gate;
      request.config.num_afd_stages = stages;
      const ServingSetup setup = resolve_asked(request, fixed_latency());
      StepShape shape = StepShape::one_token_each(24, 512);
      const PricedGraph graph = price_graph(setup, shape);
      const std::vector<std::int32_t> contexts(24, 512);
      StepBatch batch;
      batch.set_decode(contexts);
      batch.emitting = batch.logits_rows = batch.widest_rank_tokens = batch.narrowest_rank_tokens = 24;
      batch.group_tokens = 8 * 24;
      const StepCost cost = setup.pricer->price(batch);
      EXPECT_NEAR(cost.p50 / graph.gpu.p50, 1, 1e-9) << gate << stages;
      EXPECT_NEAR(cost.p90 / graph.gpu.p90, 1, 1e-9) << gate << stages;
      ASSERT_TRUE(graph.afd.has_value());
      EXPECT_EQ(graph.afd->layers, gate ? 58 : 61);
      EXPECT_GE(graph.hidden.value(), 0);
      EXPECT_LE(graph.afd->attention_busy, 1 + 1e-9);
      EXPECT_LE(graph.afd->feed_forward_busy, 1 + 1e-9);
    }
  }
}

TEST(Afd, AttentionRanksAreGroupsOfTheirEngine) {
  ServingSetupRequest request = apart(16, 8);
  request.config.tensor_parallel_size = 2;
  const ServingSetup setup = resolve_asked(request, fixed_latency());
  EXPECT_EQ(setup.sharding.attention_data_parallel, 8);
  EXPECT_EQ(setup.sharding.gpus_per_replica(), 24);
  EXPECT_EQ(setup.sharding.expert_parallel, 8);
  EXPECT_GT(setup.memory.feed_forward_weights.value(), 0);
}

TEST(Afd, RefusesPoolsThatAreEmptyOrDoNotDivide) {
  expect_refused(apart(8, 0), "num_ffn_ranks is 0 beside `num_attention_ranks` 8: no GPU holds the experts");
  expect_refused(apart(0, 8), "num_attention_ranks is 0: no GPU computes attention");
  expect_refused(apart(8, 24), "256 experts cannot be split by `num_ffn_ranks` 24");
  expect_refused(apart(8, 24), "the nearest divisors are 16 and 32");
  expect_refused(apart(8, 300), "`num_ffn_ranks` 300 exceeds 256 experts");
  ServingSetupRequest by_columns = apart(8, 24);
  by_columns.config.enable_expert_parallel = false;
  expect_refused(by_columns,
                 "2048 columns of an expert cannot be split by `num_ffn_ranks` 24, expected a divisor, "
                 "or `enable_expert_parallel`");
  expect_refused(apart(8, 2), "`num_ffn_ranks` 4 would fit");
  ServingSetupRequest odd = apart(7, 8);
  odd.config.tensor_parallel_size = 2;
  expect_refused(odd, "num_attention_ranks is 7, expected a multiple of the 2 GPUs of a group");
  ServingSetupRequest twice = apart(8, 8);
  twice.config.data_parallel_size = 4;
  expect_refused(twice, "num_attention_ranks is 8, expected 4");
  ServingSetupRequest dense = apart();
  dense.model = "Llama-3.1-8B";
  dense.config.enable_expert_parallel = false;
  expect_refused(dense, "has no experts to hold apart");
  ServingSetupRequest stages = apart();
  stages.config.pipeline_parallel_size = 2;
  expect_refused(stages, "not modelled with pipeline stages");
  ServingSetupRequest strict = apart();
  strict.require_tier = "measured";
  expect_refused(strict, "require_tier: num_ffn_ranks rests on structure");
}

TEST(Afd, ARunCountsTheGpusOfBothSides) {
  SimulateRequest request;
  request.setup = apart(4, 8);
  request.source.random = RandomPrompts{.input_len = 500, .output_len = 40};
  request.source.rate = 20;
  request.source.requests = 60;
  const SimulateResult result = simulate_serving(request, fixed_latency());
  EXPECT_EQ(result.label.gpus, 12);
  ASSERT_TRUE(result.label.pools[0].afd.has_value());
  EXPECT_EQ(result.label.pools[0].afd->feed_forward_gpus, 8);
  EXPECT_NEAR(result.run.pools[0].gpu_time / (result.run.end.seconds() * 12.0), 1, 1e-6);
  EXPECT_EQ(result.run.metrics.completed, 60);
}

}  // namespace
}  // namespace warploom
