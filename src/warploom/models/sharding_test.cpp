#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/models/contains_text.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/model_split.h"

namespace warploom {
namespace {

std::string refusal(const ModelArchitecture& model, const Sharding& sharding) {
  try {
    check_sharding(model, sharding, "sharding");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Sharding, SplitsHeadsAndReplicatesKvHeads) {
  const ModelArchitecture model = load_model("Llama-3.1-70B");
  const auto sizes_on = [&](const Sharding& sharding) {
    LayerParameters layer;
    std::get<Attention>(model.layers[0].mixer).count(layer, place_of(model, sharding));
    std::get<DenseMlp>(model.layers[0].feed_forward).count(layer, place_of(model, sharding));
    return layer;
  };
  const LayerParameters eight = sizes_on({.tensor_parallel = 8});
  EXPECT_EQ(eight.attention_output, 8192.0 * 8 * 128);
  EXPECT_EQ(eight.attention_input, 8192.0 * (8 + 2 * 1) * 128);
  EXPECT_EQ(eight.mlp, 8192.0 * 3 * 3584);
  EXPECT_EQ(local_vocabulary(model, {.tensor_parallel = 8}), 16032);
  EXPECT_EQ(sizes_on({.tensor_parallel = 16}).attention_input, 8192.0 * (4 + 2 * 1) * 128);
  EXPECT_EQ(refusal(model, {.tensor_parallel = 16}), "");
}

TEST(Sharding, RefusesWhatDoesNotDivide) {
  const ModelArchitecture dense = load_model("Llama-3.1-8B");
  EXPECT_PRED2(contains_text, refusal(dense, {.tensor_parallel = 3}), "32 attention heads cannot be split");
  EXPECT_PRED2(contains_text, refusal(dense, {.pipeline_parallel = 33}), "exceeds 32 layers");
  EXPECT_PRED2(contains_text, refusal(dense, {.expert_parallel = 2}), "model without experts");
  EXPECT_PRED2(contains_text, refusal(dense, {.attention_data_parallel = 2}), "model without experts");
  EXPECT_PRED2(contains_text, refusal(dense, {.tensor_parallel = 0}), "tensor_parallel");
  EXPECT_PRED2(contains_text, refusal(dense, {.tensor_parallel = -2}), "tensor_parallel");
  const ModelArchitecture mixture = load_model("Mixtral-8x7B-v0.1");
  EXPECT_PRED2(contains_text, refusal(mixture, {.tensor_parallel = 16, .expert_parallel = 16}),
               "exceeds 8 experts");
  EXPECT_PRED2(contains_text, refusal(mixture, {.tensor_parallel = 4, .expert_parallel = 3}),
               "does not divide");
  EXPECT_EQ(refusal(mixture, {.expert_parallel = 2, .attention_data_parallel = 2}), "");
}

// With redundant ones experts split over more ranks than divide them, and each rank holds its share of them.
TEST(Sharding, RedundantExpertsFillTheRanks) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  Sharding wide{.expert_parallel = 144, .attention_data_parallel = 144};
  EXPECT_PRED2(contains_text, refusal(model, wide),
               "256 experts cannot be split by expert_parallel=144, expected a divisor or 32 redundant ones");
  wide.redundant_experts = 31;
  EXPECT_PRED2(contains_text, refusal(model, wide), "expected 32 redundant ones or a multiple of 144 more");
  wide.redundant_experts = 32;
  EXPECT_EQ(refusal(model, wide), "");
  LayerParameters layer;
  model.mixture()->count(layer, place_of(model, wide));
  EXPECT_EQ(layer.experts, 2.0 * 2048 * 3 * 7168);
  Sharding many{.expert_parallel = 512, .attention_data_parallel = 512};
  EXPECT_PRED2(contains_text, refusal(model, many), "exceeds 256 experts, expected 256 redundant ones");
  EXPECT_EQ(model.mixture()->groups, 8);
}

TEST(Sharding, SplitsExpertsByCountAndByWidth) {
  const ModelArchitecture model = load_model("Qwen3-235B-A22B");
  const Sharding sharding{.tensor_parallel = 4, .expert_parallel = 4, .attention_data_parallel = 2};
  EXPECT_EQ(sharding.moe_tensor_parallel(), 2);
  LayerParameters layer;
  model.mixture()->count(layer, place_of(model, sharding));
  EXPECT_EQ(layer.experts, 32.0 * 768 * 3 * 4096);
  EXPECT_EQ(sharding.gpus(), 8);
}

TEST(Sharding, GivesLeftOverLayersToStagesBeforeTheLast) {
  EXPECT_EQ(stage_layers(61, 4, 0).count(), 15);
  EXPECT_EQ(stage_layers(61, 4, 2).count(), 16);
  EXPECT_EQ(stage_layers(61, 4, 3).count(), 15);
}

RC_GTEST_PROP(Sharding, StagesCoverAllLayersInOrder, ()) {
  const auto layers = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto stages = *rc::gen::inRange<std::int64_t>(1, layers + 1);
  std::int64_t next = 0;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    const LayerRange range = stage_layers(layers, stages, stage);
    RC_ASSERT(range.first == next);
    RC_ASSERT(range.count() >= 1);
    next = range.last;
  }
  RC_ASSERT(next == layers);
}

}  // namespace
}  // namespace warploom
