#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/model_split.h"
#include "warploom/models/operator_graph.h"

namespace warploom {
namespace {

const OperatorNode* find(const OperatorGraph& graph, std::string_view label) {
  for (const OperatorNode& node : graph)
    if (node.label == label) return &node;
  return nullptr;
}
template <class Op>
const Op& op_of(const OperatorGraph& graph, std::string_view label) {
  const OperatorNode* node = find(graph, label);
  if (node == nullptr) throw InvalidInput("no " + std::string(label));
  return std::get<Op>(node->op);
}
double bytes_of(const OperatorGraph& graph, std::string_view label) {
  return op_of<Collective>(graph, label).size.value();
}

TEST(ContextParallel, DecodingRanksShareOutTheCache) {
  const ModelArchitecture model = load_model("Llama-3.1-70B");  // 64 heads, 8 KV heads of 128
  const Sharding sharding{.tensor_parallel = 16, .decode_context_parallel = 2};
  const OperatorGraph graph = build_operator_graph(model, sharding, StepShape::one_token_each(10, 1001));
  const auto& attention = op_of<AttentionDecode>(graph, "attention_decode");
  EXPECT_EQ(attention.heads, 8);
  EXPECT_EQ(attention.kv_heads, 1);
  EXPECT_EQ(attention.requests.front().context_tokens, 501);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_query_allgather"), 10.0 * 8 * 128 * 2);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_lse_allgather"), 10.0 * 8 * 2 * 4);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_output_reduce_scatter"), 10.0 * 8 * 128 * 2);
  EXPECT_EQ(find(graph, "cp_query_allgather")->count, 80);
  EXPECT_EQ(find(graph, "cp_kv_allgather"), nullptr);
  EXPECT_EQ(sharding.gpus_per_replica(), 16);
  EXPECT_DOUBLE_EQ(
      kv_footprint(model, sharding).per_token() / kv_footprint(model, {.tensor_parallel = 16}).per_token(),
      0.5);
}

TEST(ContextParallel, LatentRanksGatherWhatPromptsHaveCached) {
  const ModelArchitecture model = load_model("DeepSeek-V3");  // 128 heads, latent 512 + 64
  const Sharding sharding{.tensor_parallel = 8, .decode_context_parallel = 8};
  const OperatorGraph decode = build_operator_graph(model, sharding, StepShape::one_token_each(4, 8000));
  EXPECT_EQ(op_of<MlaDecode>(decode, "mla_decode").shape.heads, 128);
  EXPECT_EQ(op_of<MlaDecode>(decode, "mla_decode").requests.front().context_tokens, 1000);
  EXPECT_EQ(op_of<Gemm>(decode, "q_absorb").batch, 16);
  EXPECT_DOUBLE_EQ(bytes_of(decode, "cp_query_allgather"), 4.0 * 128 * 576 * 2);
  EXPECT_DOUBLE_EQ(bytes_of(decode, "cp_output_reduce_scatter"), 4.0 * 128 * 512 * 2);
  // New prompts need nothing of other ranks; a cached prefix is gathered.
  EXPECT_EQ(find(build_operator_graph(model, sharding, StepShape::whole_prompts(1, 500)), "cp_kv_allgather"),
            nullptr);
  const OperatorGraph after = build_operator_graph(model, sharding, StepShape::whole_prompts(1, 500, 3000),
                                                   {.kv_cache = DataType::Bf16});
  EXPECT_DOUBLE_EQ(bytes_of(after, "cp_kv_allgather"), 3000.0 * 576 * 2);
}

TEST(ContextParallel, PromptsAreSharedOutAndTheirKeysGathered) {
  const ModelArchitecture model = load_model("Llama-3.1-8B");
  const Sharding sharding{.prefill_context_parallel = 4};
  EXPECT_EQ(sharding.gpus_per_replica(), 4);
  const OperatorGraph graph = build_operator_graph(model, sharding, StepShape::whole_prompts(1, 4096));
  EXPECT_EQ(op_of<Gemm>(graph, "qkv_proj").m, 1024);
  const RequestGroup& group = op_of<AttentionPrefill>(graph, "attention_prefill").requests.front();
  EXPECT_EQ(group.query_tokens, 1024);
  EXPECT_EQ(group.context_tokens, 1536);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_kv_allgather"), 4096.0 * 2 * 8 * 128 * 2);
  // Decoding tokens are repeated on every rank, over a quarter of the cache.
  const OperatorGraph decode = build_operator_graph(model, sharding, StepShape::one_token_each(3, 4000));
  EXPECT_EQ(op_of<Gemm>(decode, "qkv_proj").m, 3);
  EXPECT_EQ(op_of<AttentionDecode>(decode, "attention_decode").requests.front().context_tokens, 1000);
  EXPECT_EQ(op_of<AttentionDecode>(decode, "attention_decode").heads, 32);
  EXPECT_EQ(find(decode, "cp_query_allgather"), nullptr);
  EXPECT_DOUBLE_EQ(bytes_of(decode, "cp_output_allreduce"), 3.0 * 32 * 128 * 2);
}

RC_GTEST_PROP(ContextParallel, SharesOfAPromptAddUpToItsWork, ()) {
  const std::int64_t ranks = std::int64_t{1} << *rc::gen::inRange(1, 5);
  const std::int64_t tokens = *rc::gen::inRange<std::int64_t>(1, 100) * 2 * ranks;
  const std::int64_t context = *rc::gen::inRange<std::int64_t>(0, 20000);
  const OperatorGraph graph =
      build_operator_graph(load_model("Llama-3.1-8B"), {.prefill_context_parallel = ranks},
                           StepShape::whole_prompts(1, tokens, context));
  const RequestGroup& part = op_of<AttentionPrefill>(graph, "attention_prefill").requests.front();
  const auto pairs = [](double queries, double before) { return queries * (before + queries / 2); };
  RC_ASSERT(double(ranks) * pairs(double(part.query_tokens), double(part.context_tokens)) ==
            pairs(double(tokens), double(context)));
}

TEST(ContextParallel, RefusesWhatItDoesNotModel) {
  const auto refuses = [](const char* model, const Sharding& sharding) {
    check_sharding(load_model(model), sharding, "sharding");
  };
  EXPECT_NO_THROW(refuses("Llama-3.1-70B", {.tensor_parallel = 16, .decode_context_parallel = 2}));
  EXPECT_THROW(refuses("Llama-3.1-70B", {.tensor_parallel = 8, .decode_context_parallel = 2}), InvalidInput);
  EXPECT_THROW(refuses("DeepSeek-V3", {.tensor_parallel = 8, .decode_context_parallel = 3}), InvalidInput);
  EXPECT_THROW(refuses("DeepSeek-V3", {.tensor_parallel = 8, .prefill_context_parallel = 2}), Unsupported);
  EXPECT_THROW(refuses("gpt-oss-120b", {.tensor_parallel = 16, .decode_context_parallel = 2}), Unsupported);
}

}  // namespace
}  // namespace warploom
