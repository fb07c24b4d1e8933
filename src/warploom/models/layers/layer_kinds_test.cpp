#include "warploom/models/layers/layer_kinds.h"

#include <gtest/gtest.h>

#include "warploom/models/contains_text.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_split.h"
#include "warploom/models/operator_graph.h"

namespace warploom {
namespace {

const Sharding kWhole;

// One full layer of 4 KV heads and three windowed ones of 8, keys of 192 and values of 128 elements.
ModelArchitecture uneven_model() {
  const Attention full{.heads = 16, .kv_heads = 4, .head_dim = 192, .value_head_dim = 128, .rotary_dim = 64};
  Attention windowed = full;
  windowed.reach = AttentionReach::SlidingWindow;
  windowed.window = 128;
  windowed.heads = 32;
  windowed.kv_heads = 8;
  windowed.sinks = windowed.scales_values = true;
  ModelArchitecture model;
  model.name = "uneven";
  model.hidden = 1024;
  model.vocabulary = 6400;
  model.max_positions = 1 << 20;
  const DenseMlp mlp{.intermediate = 4096};
  model.layers = {{.count = 1, .mixer = full, .feed_forward = mlp},
                  {.count = 3, .mixer = windowed, .feed_forward = mlp}};
  return model;
}

template <class Op>
std::vector<Op> ops_of(const OperatorGraph& graph, std::string_view label) {
  std::vector<Op> found;
  for (const OperatorNode& node : graph)
    if (node.label == label) found.push_back(std::get<Op>(node.op));
  return found;
}

std::int64_t launches_of(const OperatorGraph& graph, std::string_view label) {
  std::int64_t count = 0;
  for (const OperatorNode& node : graph) count += node.label == label ? node.count : 0;
  return count;
}

TEST(LayerKinds, EveryLayerHasOperatorsOfItsOwnSizes) {
  const OperatorGraph graph =
      build_operator_graph(uneven_model(), {.tensor_parallel = 2}, StepShape::one_token_each(4, 1000));
  const auto projections = ops_of<Gemm>(graph, "qkv_proj");
  ASSERT_EQ(projections.size(), 2u);
  EXPECT_EQ(projections[0].n, 8 * 192 + 2 * (192 + 128));
  EXPECT_EQ(projections[1].n, 16 * 192 + 4 * (192 + 128));
  const auto outputs = ops_of<Gemm>(graph, "o_proj");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].k, 8 * 128);
  EXPECT_EQ(outputs[1].k, 16 * 128);
  const auto attention = ops_of<AttentionDecode>(graph, "attention_decode");
  ASSERT_EQ(attention.size(), 2u);
  EXPECT_EQ(attention[0].kv_heads, 2);
  EXPECT_EQ(attention[0].window, 0);
  EXPECT_EQ(attention[1].heads, 16);
  EXPECT_EQ(attention[1].kv_heads, 4);
  EXPECT_EQ(attention[1].window, 128);
  EXPECT_EQ(launches_of(graph, "value_scale"), 3);
}

// FLOP and bytes of attention are linear in the sum of both head sizes: the mean stands for each.
TEST(LayerKinds, TheMeanHeadSizeStandsForKeysAndValues) {
  const OperatorGraph graph = build_operator_graph(uneven_model(), {}, StepShape::one_token_each(1, 9));
  for (const AttentionDecode& op : ops_of<AttentionDecode>(graph, "attention_decode"))
    EXPECT_EQ(2 * op.head_dim, 192 + 128);
  for (const KvWrite& op : ops_of<KvWrite>(graph, "kv_write")) EXPECT_EQ(2 * op.head_dim, 192 + 128);
}

// A windowed layer keeps 8 x (192 + 128) x 2 = 5,120 bytes of a token, the full one half of it: its blocks
// hold twice the tokens.
TEST(LayerKinds, BlocksHoldMoreTokensOfLayersThatKeepLess) {
  const KvFootprint footprint = kv_footprint(uneven_model(), {});
  EXPECT_DOUBLE_EQ(footprint.full_per_token.value(), 2560);
  EXPECT_DOUBLE_EQ(footprint.windowed_per_token.value(), 3 * 5120);
  const KvBlocks blocks = kv_blocks(footprint, WindowedCache::Released, 16);
  EXPECT_EQ(blocks.layout.full, 1);
  EXPECT_EQ(blocks.layout.windowed, 3);
  EXPECT_EQ(blocks.layout.full_stretch, 2);
  EXPECT_EQ(blocks.layout.windowed_stretch, 1);
  EXPECT_DOUBLE_EQ(blocks.block.value(), 16 * 5120);
  // 1,000 tokens: 32 blocks of the full layer; of each windowed one what the last 128 and the first page of
  // 16 that they touch lie in.
  EXPECT_EQ(blocks.layout.blocks(1000, 999, 16), 32 + 3 * (63 - 872 / 16));
  EXPECT_EQ(blocks.layout.most_blocks(1000, 16, 16), 32 + 3 * 10);
  // Heads that tensor parallelism replicates make both alike.
  EXPECT_EQ(kv_blocks(kv_footprint(uneven_model(), {.tensor_parallel = 8}), WindowedCache::Released, 16)
                .layout.full_stretch,
            1);
}

TEST(LayerKinds, BlocksOfSizesThatShareNoMultipleAreRefused) {
  ModelArchitecture model = uneven_model();
  std::get<Attention>(model.layers[1].mixer).kv_heads = 2;
  std::get<Attention>(model.layers[1].mixer).value_head_dim = 64;
  EXPECT_THROW(kv_blocks(kv_footprint(model, {}), WindowedCache::Released, 16), Unsupported);
  EXPECT_GT(kv_blocks(kv_footprint(model, {}), WindowedCache::Whole, 16).block.value(), 0);
}

TEST(LayerKinds, WindowsOfTwoLengthsAreRefused) {
  ModelArchitecture model = uneven_model();
  model.layers.push_back(model.layers[1]);
  std::get<Attention>(model.layers[2].mixer).window = 512;
  EXPECT_THROW(check_architecture(model, "model"), Unsupported);
}

// The checkpoint has one projection, an engine loads it into both places; heads have a sink each.
TEST(LayerKinds, SharedProjectionsAndSinksAreCounted) {
  ModelArchitecture model = uneven_model();
  const double before = parameter_counts(model).total;
  const double bytes = weight_bytes_per_gpu(model, {}).value();
  EXPECT_DOUBLE_EQ(bytes, 2 * (before - 1024));  // the last norm is left out of bytes
  auto& full = std::get<Attention>(model.layers[0].mixer);
  full.keys_are_values = true;
  EXPECT_DOUBLE_EQ(before - parameter_counts(model).total, 1024 * 4 * 128);
  EXPECT_DOUBLE_EQ(weight_bytes_per_gpu(model, {}).value(), bytes);
  full.sinks = true;
  EXPECT_DOUBLE_EQ(before - parameter_counts(model).total, 1024 * 4 * 128 - 16);
}

TEST(LayerKinds, AMixtureBesideADenseMlpRunsBothAndReducesTwice) {
  ModelArchitecture model = uneven_model();
  const MixtureOfExperts mixture{.experts = 8, .top_k = 2, .intermediate = 256, .mlp_intermediate = 512};
  for (LayerGroup& group : model.layers) group.feed_forward = mixture;
  const OperatorGraph graph =
      build_operator_graph(model, {.tensor_parallel = 2}, StepShape::one_token_each(4, 100));
  EXPECT_EQ(launches_of(graph, "moe"), 4);
  EXPECT_EQ(ops_of<Gemm>(graph, "gate_up_proj").front().n, 2 * 512 / 2);
  EXPECT_EQ(launches_of(graph, "gate_up_proj"), 4);
  EXPECT_EQ(launches_of(graph, "allreduce"), 4 * 3);
  EXPECT_EQ(launches_of(graph, "rmsnorm"), 4 * (2 + 4) + 1);
  LayerParameters layer;
  mixture.count(layer, place_of(model, kWhole));
  EXPECT_DOUBLE_EQ(layer.mlp, 3.0 * 1024 * 512);
  EXPECT_DOUBLE_EQ(layer.plain, 1024.0 * 8 + 4 * 1024 + 8);
  EXPECT_DOUBLE_EQ(layer.total() - layer.active(), 0.75 * layer.experts);
}

TEST(LayerKinds, AbsentPartsHaveNoNormNoAllReduceAndNoCache) {
  ModelArchitecture model = uneven_model();
  model.layers[1].mixer = NoMixer{};
  model.layers[0].feed_forward = NoFeedForward{};
  EXPECT_NO_THROW(check_architecture(model, "model"));
  const OperatorGraph graph =
      build_operator_graph(model, {.tensor_parallel = 2}, StepShape::one_token_each(4, 100));
  EXPECT_EQ(launches_of(graph, "attention_decode"), 1);
  EXPECT_EQ(launches_of(graph, "gate_up_proj"), 3);
  EXPECT_EQ(launches_of(graph, "allreduce"), 4);
  EXPECT_EQ(launches_of(graph, "rmsnorm"), 4 + 1);
  EXPECT_DOUBLE_EQ(kv_footprint(model, {}).per_token().value(), 2560);
  // Embeddings and the last norm; attention with its norm; three MLPs with theirs.
  const double attention = 1024.0 * (16 * (192 + 128) + 4 * (192 + 128)) + 1024;
  EXPECT_DOUBLE_EQ(parameter_counts(model).total,
                   2.0 * 6400 * 1024 + 1024 + attention + 3 * (3.0 * 1024 * 4096 + 1024));
}

TEST(LayerKinds, EveryLayerIsSplitByItsOwnHeads) {
  ModelArchitecture model = uneven_model();
  std::get<Attention>(model.layers[1].mixer).heads = 24;
  try {
    check_sharding(model, {.tensor_parallel = 16}, "sharding");
    FAIL() << "24 heads over 16 ranks";
  } catch (const InvalidInput& error) {
    EXPECT_PRED2(contains_text, std::string(error.what()), "24 attention heads cannot be split");
  }
}

TEST(LayerKinds, SourcesSayWhatTheNodesWorkOn) {
  ModelArchitecture model = uneven_model();
  for (LayerGroup& group : model.layers)
    group.feed_forward =
        MixtureOfExperts{.experts = 8, .top_k = 2, .intermediate = 256, .shared_intermediate = 512};
  const OperatorGraph graph =
      build_operator_graph(model, {.attention_data_parallel = 2}, StepShape::one_token_each(4, 100));
  for (const OperatorNode& node : graph) {
    const bool of_group =
        node.label == "moe" || node.label == "moe_allgather" || node.label == "moe_reduce_scatter";
    EXPECT_EQ(node.source == RowSource::GroupTokens, of_group) << node.label;
    EXPECT_EQ(runs_beside_experts(node), node.label.starts_with("shared_") && node.label != "shared_add")
        << node.label;
  }
}

}  // namespace
}  // namespace warploom
