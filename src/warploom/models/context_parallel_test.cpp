#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/models/contains_text.h"
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

// vLLM's PCP: each group of GPUs has its part of every prompt and of the decoding requests, and all keys.
TEST(ContextParallel, PromptsAreSharedOutAndTheirKeysGathered) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  const Sharding sharding{.tensor_parallel = 2, .expert_parallel = 8, .prefill_context_parallel = 4};
  EXPECT_EQ(sharding.gpus_per_replica(), 8);
  EXPECT_EQ(sharding.moe_ranks(), 8);
  const OperatorGraph graph =
      build_operator_graph(model, sharding, StepShape::whole_prompts(1, 4096), {.kv_cache = DataType::Bf16});
  EXPECT_EQ(op_of<Gemm>(graph, "o_proj").m, 1024);
  const RequestGroup& group = op_of<MlaPrefill>(graph, "mla_prefill").requests.front();
  EXPECT_EQ(group.query_tokens, 1024);
  EXPECT_EQ(group.context_tokens, 1536);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_kv_allgather"), 4096.0 * 576 * 2);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_hidden_allgather"), 4096.0 * 7168 * 2);
  // All tokens meet the experts, which every GPU holds an eighth of.
  EXPECT_EQ(op_of<FusedMoe>(graph, "moe").tokens, 4096);
  EXPECT_EQ(op_of<FusedMoe>(graph, "moe").expert_parallel, 8);
  EXPECT_EQ(op_of<Collective>(graph, "moe_allgather").ranks, 4);
  // A quarter of the requests decodes on each group, over a cache that each holds whole.
  const OperatorGraph decode = build_operator_graph(model, sharding, StepShape::one_token_each(10, 4000));
  EXPECT_EQ(op_of<Gemm>(decode, "o_proj").m, 3);
  EXPECT_EQ(op_of<MlaDecode>(decode, "mla_decode").requests.front().count, 3);
  EXPECT_EQ(op_of<MlaDecode>(decode, "mla_decode").requests.front().context_tokens, 4000);
  EXPECT_EQ(op_of<Gemm>(decode, "q_absorb").m, 3);
  EXPECT_EQ(find(decode, "cp_query_allgather"), nullptr);
  EXPECT_DOUBLE_EQ(bytes_of(decode, "cp_kv_allgather"), 10.0 * 576 * 2);
  EXPECT_DOUBLE_EQ(kv_footprint(model, sharding).per_token().value(),
                   kv_footprint(model, {.tensor_parallel = 2}).per_token().value());
}

RC_GTEST_PROP(ContextParallel, SharesOfAPromptAddUpToItsWork, ()) {
  const std::int64_t ranks = std::int64_t{1} << *rc::gen::inRange(1, 5);
  const std::int64_t tokens = *rc::gen::inRange<std::int64_t>(1, 100) * 2 * ranks;
  const std::int64_t context = *rc::gen::inRange<std::int64_t>(0, 20000);
  const OperatorGraph graph =
      build_operator_graph(load_model("DeepSeek-V3"), {.prefill_context_parallel = ranks},
                           StepShape::whole_prompts(1, tokens, context));
  const RequestGroup& part = op_of<MlaPrefill>(graph, "mla_prefill").requests.front();
  const auto pairs = [](double queries, double before) { return queries * (before + queries / 2); };
  RC_ASSERT(double(ranks) * pairs(double(part.query_tokens), double(part.context_tokens)) ==
            pairs(double(tokens), double(context)));
}

// DeepSeek-V3.2 under vLLM's DCP: an indexer looks at its rank's part of the keys, the ranks choose among
// what all of them chose, and exchange queries and results.
TEST(ContextParallel, SparseRanksChooseAmongTheirOwnTokensFirst) {
  const ModelArchitecture model = load_model("DeepSeek-V3.2");
  const Sharding sharding{.tensor_parallel = 8, .decode_context_parallel = 4};
  const OperatorGraph graph = build_operator_graph(model, sharding, StepShape::one_token_each(2, 40'000));
  EXPECT_EQ(op_of<Dsa>(graph, "sparse_attention").requests.front().context_tokens, 10'000);
  EXPECT_EQ(op_of<Dsa>(graph, "sparse_attention").shape.heads, 16);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_topk_allgather"), 2.0 * 4 * 2048 * 8);
  EXPECT_DOUBLE_EQ(bytes_of(graph, "cp_query_allgather"), 2.0 * 64 * 576 * 2);
  EXPECT_DOUBLE_EQ(
      kv_footprint(model, {.tensor_parallel = 8}).per_token() / kv_footprint(model, sharding).per_token(), 4);
  const OperatorGraph prompt = build_operator_graph(model, sharding, StepShape::whole_prompts(1, 1000));
  EXPECT_DOUBLE_EQ(bytes_of(prompt, "cp_query_allgather"), 1000.0 * 64 * 576 * 2);
}

// Layers with states beside full attention: states are whole on every rank, tokens are shared out.
TEST(ContextParallel, StatesStayWholeWhereCachedTokensAreSharedOut) {
  const ModelArchitecture model = load_model("Qwen3-Next-80B-A3B-Instruct");  // 2 KV heads
  const Sharding sharding{.tensor_parallel = 8, .decode_context_parallel = 4};
  EXPECT_NO_THROW(check_sharding(model, sharding, "sharding"));
  const KvFootprint whole = kv_footprint(model, {.tensor_parallel = 8}), part = kv_footprint(model, sharding);
  EXPECT_DOUBLE_EQ(whole.full_per_token / part.full_per_token, 4);
  EXPECT_DOUBLE_EQ(whole.per_request.value(), part.per_request.value());
  // A block holds a state and four times the tokens in as many bytes.
  const KvBlocks before = kv_blocks(whole, WindowedCache::Released, 16),
                 after = kv_blocks(part, WindowedCache::Released, 16);
  EXPECT_LE(after.block, before.block);
  EXPECT_GT(after.layout.full_stretch, 4 * (before.layout.full_stretch - 1));
  EXPECT_LE(after.layout.full_stretch, 4 * before.layout.full_stretch);
  EXPECT_EQ(after.layout.state, before.layout.state);
}

TEST(ContextParallel, RefusesWhatEnginesDoNotRunByTheMechanismsName) {
  const auto refusal = [](const char* model, const Sharding& sharding) -> std::string {
    try {
      check_sharding(load_model(model), sharding, "sharding");
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "";
  };
  const Sharding decode{.tensor_parallel = 8, .decode_context_parallel = 2},
      prefill{.prefill_context_parallel = 2}, many{.tensor_parallel = 16, .decode_context_parallel = 2};
  EXPECT_EQ(refusal("Llama-3.1-70B", many), "");
  EXPECT_EQ(refusal("DeepSeek-V3", prefill), "");
  EXPECT_EQ(refusal("DeepSeek-V3.2", prefill), "");
  EXPECT_PRED2(contains_text, refusal("gpt-oss-120b", many), "attention to a window or chunk");
  EXPECT_PRED2(contains_text, refusal("DeepSeek-V4-Flash", decode), "a compressed cache beside a window");
  EXPECT_PRED2(contains_text, refusal("MiniMax-M3", decode), "block-sparse attention");
  EXPECT_PRED2(contains_text, refusal("Llama-3.1-8B", prefill), "attention that is not latent");
  EXPECT_PRED2(contains_text, refusal("Qwen3-Next-80B-A3B-Instruct", prefill), "recurrent states");
  EXPECT_PRED2(contains_text,
               refusal("DeepSeek-V3",
                       {.tensor_parallel = 8, .decode_context_parallel = 2, .prefill_context_parallel = 2}),
               "at once are not modelled");
  EXPECT_THROW(
      check_sharding(load_model("Llama-3.1-70B"), {.tensor_parallel = 8, .decode_context_parallel = 2}, ""),
      InvalidInput);
  EXPECT_THROW(
      check_sharding(load_model("DeepSeek-V3"), {.tensor_parallel = 8, .decode_context_parallel = 3}, ""),
      InvalidInput);
}

}  // namespace
}  // namespace warploom
