#include "warploom/models/afd_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "warploom/base/error.h"
#include "warploom/models/contains_text.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/operator_graph.h"

namespace warploom {
namespace {

std::string refusal(const std::string& model, const Sharding& sharding) {
  try {
    AfdPlan(load_model(model), sharding, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::map<std::string, std::int64_t> launches_of(std::span<const OperatorNode> nodes) {
  std::map<std::string, std::int64_t> counts;
  for (const OperatorNode& node : nodes) counts[std::string(node.label)] += node.count;
  return counts;
}

TEST(AfdPlan, BothSidesTogetherLaunchWhatOneGpuDoes) {
  for (const char* name : {"DeepSeek-V3", "Qwen3-30B-A3B", "gpt-oss-120b"}) {
    for (const bool gate : {false, true}) {
      const ModelArchitecture model = load_model(name);
      const AfdPlan plan(model, {.feed_forward_ranks = 1, .gate_on_attention = gate}, {});
      StepPlan attention = plan.attention(), experts = plan.feed_forward();
      const auto side = launches_of(attention.dense_operators(8, 8));
      auto sum = launches_of(experts.dense_operators(8, 0, 8));
      EXPECT_EQ(sum.count("moe"), 1u) << name;
      EXPECT_EQ(sum.count("router"), gate ? 0u : 1u) << name;
      EXPECT_EQ(side.count("moe"), 0u) << name;
      for (const auto& [label, count] : side) sum[label] += count;
      StepPlan whole(model, {}, {});
      EXPECT_EQ(sum, launches_of(whole.dense_operators(8, 8))) << name;
      EXPECT_TRUE(experts.attention_operators(StepShape::one_token_each(8, 100)).empty());
    }
  }
}

TEST(AfdPlan, DenseLayersLieWithTheGate) {
  const ModelArchitecture model = load_model("DeepSeek-V3");  // three dense layers of 61
  EXPECT_EQ(AfdPlan(model, {.feed_forward_ranks = 1}, {}).layers(), 61);
  EXPECT_EQ(AfdPlan(model, {.feed_forward_ranks = 1, .gate_on_attention = true}, {}).layers(), 58);
}

TEST(AfdPlan, WeightsOfBothSidesAreThoseOfTheModel) {
  for (const bool gate : {false, true}) {
    const ModelArchitecture model = load_model("DeepSeek-V3");
    const Sharding apart{.feed_forward_ranks = 1, .gate_on_attention = gate};
    const Bytes whole = weight_footprint(model, Sharding{}).total();
    const Bytes sum = weight_footprint(model, apart).total() + feed_forward_footprint(model, apart).total();
    EXPECT_NEAR(sum / whole, 1, 1e-9);
    EXPECT_EQ(weight_footprint(model, apart).experts.value(), 0);
  }
}

TEST(AfdPlan, AttentionRanksHaveTheRoomThatExpertsLeave) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  const Bytes memory = gibibytes(180);
  const Sharding together{.expert_parallel = 8, .attention_data_parallel = 8};
  Sharding apart = together;
  apart.feed_forward_ranks = 8;
  const KvCapacity beside = kv_capacity(model, together, memory), own = kv_capacity(model, apart, memory);
  EXPECT_GT(own.tokens, 2 * beside.tokens);
  EXPECT_GT(own.feed_forward_weights.value(), 4 * own.weights.value());
  apart.feed_forward_ranks = apart.expert_parallel = 2;
  const KvCapacity tight = kv_capacity(model, apart, memory);
  EXPECT_FALSE(tight.fits);
  EXPECT_PRED2(contains_text, tight.explanation, "each of 2 feed-forward ranks needs");
  EXPECT_PRED2(contains_text, tight.explanation, "`num_ffn_ranks` 4 would fit");
}

TEST(AfdPlan, RefusesWhatItDoesNotModel) {
  EXPECT_PRED2(contains_text, refusal("Llama-3.1-8B", {.feed_forward_ranks = 2}),
               "num_ffn_ranks: meta-llama/Llama-3.1-8B has no experts");
  EXPECT_PRED2(contains_text, refusal("DeepSeek-V3", {.pipeline_parallel = 2, .feed_forward_ranks = 8}),
               "not modelled with pipeline stages");
  EXPECT_PRED2(contains_text, refusal("DeepSeek-V3", {.expert_parallel = 24, .feed_forward_ranks = 24}),
               "expected a divisor or 8 redundant ones (`enable_eplb`, `num_redundant_experts`); the nearest "
               "divisors are 16 and 32");
  EXPECT_EQ(refusal("DeepSeek-V3", {.expert_parallel = 24, .redundant_experts = 8, .feed_forward_ranks = 24}),
            "");
}

TEST(AfdSizes, DealTokensOutInBlocksOfRanks) {
  const Sharding sharding{.attention_data_parallel = 5, .feed_forward_ranks = 2};
  const AfdSizes sizes = afd_sizes(sharding, 60, 300, 3);
  EXPECT_EQ(sizes.micro_batches, 3);
  EXPECT_EQ(sizes.tokens, 20);
  EXPECT_EQ(sizes.group_tokens, 100);
  EXPECT_EQ(sizes.feed_forward_tokens, 60) << "three of the five attention ranks";
  EXPECT_EQ(sizes.sent_tokens, 60);
  EXPECT_EQ(afd_sizes(sharding, 2, 10, 3).micro_batches, 2) << "no more than tokens";
}

RC_GTEST_PROP(AfdSizes, KeepEveryToken, ()) {
  const Sharding sharding{.tensor_parallel = *rc::gen::inRange(1, 5),
                          .attention_data_parallel = *rc::gen::inRange(1, 40),
                          .feed_forward_ranks = *rc::gen::inRange(1, 40),
                          .gate_on_attention = *rc::gen::arbitrary<bool>()};
  const std::int64_t tokens = *rc::gen::inRange(1, 500), micro = *rc::gen::inRange(1, 5);
  const std::int64_t all = tokens * sharding.attention_data_parallel;
  const AfdSizes sizes = afd_sizes(sharding, tokens, all, micro);
  RC_ASSERT(sizes.tokens * sizes.micro_batches >= tokens);
  RC_ASSERT(sizes.group_tokens * sizes.micro_batches >= all);
  RC_ASSERT(sizes.feed_forward_tokens * sharding.feed_forward_ranks >= sizes.group_tokens);
  RC_ASSERT(sizes.sent_tokens >= sizes.feed_forward_tokens);
}

}  // namespace
}  // namespace warploom
