#include "warploom/models/operator_graph.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "warploom/models/model_catalog.h"
#include "warploom/models/request_split.h"
#include "warploom/models/step_plan.h"

namespace warploom {
namespace {

std::map<std::string, std::vector<OperatorNode>> by_label(const OperatorGraph& graph) {
  std::map<std::string, std::vector<OperatorNode>> result;
  for (const OperatorNode& node : graph) result[std::string(node.label)].push_back(node);
  return result;
}

template <class Op>
const Op& only(const std::map<std::string, std::vector<OperatorNode>>& nodes, const std::string& label) {
  const auto entry = nodes.find(label);
  if (entry == nodes.end() || entry->second.size() != 1) throw InvalidInput("not exactly one " + label);
  return std::get<Op>(entry->second.front().op);
}

TEST(OperatorGraph, HasTheShapesOfLlamaDecoding) {
  const auto nodes =
      by_label(build_operator_graph(load_model("Llama-3.1-8B"), {}, StepShape::one_token_each(16, 1000)));
  const auto gemm = [&](const char* label) { return only<Gemm>(nodes, label); };
  EXPECT_EQ(gemm("qkv_proj").m, 16);
  EXPECT_EQ(gemm("qkv_proj").n, 6144);
  EXPECT_EQ(gemm("o_proj").k, 4096);
  EXPECT_EQ(gemm("gate_up_proj").n, 28672);
  EXPECT_EQ(gemm("down_proj").k, 14336);
  EXPECT_EQ(gemm("lm_head").n, 128256);
  EXPECT_EQ(nodes.at("qkv_proj").front().count, 32);
  EXPECT_EQ(nodes.at("rmsnorm")[0].count + nodes.at("rmsnorm")[1].count, 65);
  const auto& attention = only<AttentionDecode>(nodes, "attention_decode");
  EXPECT_EQ(attention.heads, 32);
  EXPECT_EQ(attention.kv_heads, 8);
  EXPECT_EQ(attention.requests.front().context_tokens, 1000);
  EXPECT_EQ(nodes.count("allreduce"), 0u);
  EXPECT_EQ(nodes.count("attention_prefill"), 0u);
  EXPECT_EQ(nodes.count("quantize"), 0u);
}

TEST(OperatorGraph, SplitsOverTensorParallelRanks) {
  const auto nodes = by_label(build_operator_graph(load_model("Llama-3.1-70B"), {.tensor_parallel = 8},
                                                   StepShape::whole_prompts(2, 1000)));
  EXPECT_EQ(only<Gemm>(nodes, "qkv_proj").n, 8192 / 8 + 2 * 128);
  EXPECT_EQ(only<Gemm>(nodes, "lm_head").m, 2);
  EXPECT_EQ(only<Gemm>(nodes, "lm_head").n, 16032);
  const auto& reduce = only<Collective>(nodes, "allreduce");
  EXPECT_EQ(nodes.at("allreduce").front().count, 160);
  EXPECT_DOUBLE_EQ(reduce.size.value(), 2000.0 * 8192 * 2);
  EXPECT_EQ(reduce.ranks, 8);
  EXPECT_DOUBLE_EQ(only<Collective>(nodes, "logits_allgather").size.value(), 2.0 * 128256 * 2);
}

TEST(OperatorGraph, SendsBetweenPipelineStages) {
  const ModelArchitecture model = load_model("Llama-3.1-70B");
  const Sharding sharding{.tensor_parallel = 4, .pipeline_parallel = 2};
  const StepShape step = StepShape::one_token_each(16, 100);
  const auto whole = by_label(build_operator_graph(model, sharding, step));
  EXPECT_DOUBLE_EQ(only<Collective>(whole, "pipeline_send").size.value(), 2.0 * 16 * 8192 * 2 / 4);
  EXPECT_EQ(whole.at("qkv_proj").front().count, 80);
  std::int64_t norms = 0;
  for (const std::int64_t stage : {0, 1}) {
    const auto part = by_label(build_operator_graph(model, sharding, step, {.pipeline_stage = stage}));
    EXPECT_EQ(part.at("qkv_proj").front().count, 40);
    EXPECT_EQ(part.count("lm_head"), stage == 1 ? 1u : 0u);
    EXPECT_EQ(part.count("embedding"), stage == 0 ? 1u : 0u);
    EXPECT_EQ(part.count("pipeline_send"), stage == 0 ? 1u : 0u);
    for (const OperatorNode& node : part.at("rmsnorm")) norms += node.count;
  }
  EXPECT_EQ(norms, 161);
  EXPECT_THROW(build_operator_graph(model, sharding, step, {.pipeline_stage = 2}), InvalidInput);
}

TEST(OperatorGraph, NormalisesQueriesAndKeysOfQwen3) {
  const auto nodes =
      by_label(build_operator_graph(load_model("Qwen3-32B"), {}, StepShape::one_token_each(4, 10)));
  EXPECT_EQ(only<RmsNorm>(nodes, "q_norm").tokens, 4 * 64);
  EXPECT_EQ(only<RmsNorm>(nodes, "q_norm").width, 128);
  EXPECT_EQ(only<RmsNorm>(nodes, "k_norm").tokens, 4 * 8);
  EXPECT_EQ(only<Gemm>(nodes, "qkv_proj").n, (64 + 16) * 128);
}

TEST(OperatorGraph, NormalisesInTheRotationWhereTheEngineDoes) {
  const StepShape step = StepShape::one_token_each(4, 10);
  const auto nodes =
      by_label(build_operator_graph(load_model("Qwen3-32B"), {}, step, {.fuse_qk_norm_rope = true}));
  EXPECT_EQ(nodes.count("q_norm") + nodes.count("k_norm"), 0u);
  EXPECT_EQ(nodes.count("rope"), 1u);
  EXPECT_EQ(nodes.count("rmsnorm"), 1u);
  // Latent attention normalises what it projects down, apart from any rotation.
  const auto latent =
      by_label(build_operator_graph(load_model("DeepSeek-V3"), {}, step, {.fuse_qk_norm_rope = true}));
  EXPECT_EQ(latent.count("q_norm"), 1u);
  const auto beside =
      by_label(build_operator_graph(load_model("DeepSeek-V3"), {}, step, {.parallel_latent_norms = true}));
  EXPECT_EQ(latent.count("k_norm"), 1u);
  EXPECT_EQ(beside.count("k_norm"), 0u);
}

TEST(OperatorGraph, QuantisesStaticallyInTheKernelBeforeWhereTheEngineDoes) {
  const auto passes = [](std::string_view scheme, std::int64_t ranks, const GraphOptions& options) {
    const ModelArchitecture model =
        quantize_linears(load_model("Llama-3.1-8B"), parse_enum<MatmulScheme>(scheme, "scheme"));
    const auto nodes = by_label(
        build_operator_graph(model, {.tensor_parallel = ranks}, StepShape::one_token_each(4, 10), options));
    std::int64_t count = 0;
    if (const auto at = nodes.find("quantize"); at != nodes.end())
      for (const OperatorNode& node : at->second) count += node.count;
    return count;
  };
  const GraphOptions kernels{.fuse_static_quantization = true};
  const GraphOptions norms{
      .fuse_allreduce_norm = true, .fuse_static_quantization = true, .fuse_norm_quantization = true};
  EXPECT_EQ(passes("fp8_static", 2, {}), 4 * 32);
  EXPECT_EQ(passes("fp8_static", 2, kernels), 2 * 32);  // those behind norms are left
  EXPECT_EQ(passes("fp8_static", 2, norms), 0);
  EXPECT_EQ(passes("fp8_static", 1, norms), 2 * 32);         // no all-reduce to be part of
  EXPECT_EQ(passes("fp8", 2, norms), passes("fp8", 2, {}));  // dynamic scales need the whole row first
}

TEST(OperatorGraph, JoinsTheNormsOfQueriesAndKeysWhereTheEngineDoes) {
  const auto nodes = by_label(build_operator_graph(
      load_model("Qwen3-32B"), {}, StepShape::one_token_each(4, 10), {.join_qk_norms = true}));
  EXPECT_EQ(nodes.count("q_norm") + nodes.count("k_norm"), 0u);
  EXPECT_EQ(only<RmsNorm>(nodes, "qk_norm").tokens, 4 * (64 + 8));
  EXPECT_EQ(nodes.count("rope"), 1u);
}

TEST(OperatorGraph, ChoosesExpertsApartWhereTheEngineDoes) {
  const StepShape step = StepShape::one_token_each(4, 10);
  const auto apart =
      by_label(build_operator_graph(load_model("Qwen3-30B-A3B"), {}, step, {.choose_experts = true}));
  EXPECT_EQ(only<Sampling>(apart, "expert_choice").sequences, 4);
  EXPECT_EQ(only<Sampling>(apart, "expert_choice").vocabulary, 128);
  const auto within = by_label(build_operator_graph(load_model("Qwen3-30B-A3B"), {}, step, {}));
  EXPECT_EQ(within.count("expert_choice"), 0u);
}

TEST(OperatorGraph, NormalisesInTheAllReduceOfFewTokens) {
  const ModelArchitecture model = load_model("Llama-3.1-8B");
  const auto norms = [&](std::int64_t tokens, std::int64_t ranks, bool fused) {
    const auto nodes =
        by_label(build_operator_graph(model, {.tensor_parallel = ranks}, StepShape::whole_prompts(1, tokens),
                                      {.fuse_allreduce_norm = fused}));
    std::int64_t count = 0;
    for (const OperatorNode& node : nodes.at("rmsnorm")) count += node.count;
    return count;
  };
  EXPECT_EQ(norms(2048, 2, false), 65);
  EXPECT_EQ(norms(2048, 2, true), 1);   // the first, which no all-reduce precedes
  EXPECT_EQ(norms(2049, 2, true), 65);  // too many for it
  EXPECT_EQ(norms(2048, 1, true), 65);  // nothing to reduce
}

TEST(OperatorGraph, SplitsTheInputsOfADeltaNetWhereTheEngineDoes) {
  const ModelArchitecture model = load_model("Qwen/Qwen3.5-397B-A17B");
  const auto inputs = [&](bool split) {
    return by_label(build_operator_graph(model, {.tensor_parallel = 8}, StepShape::one_token_each(4, 10),
                                         {.split_delta_inputs = split}));
  };
  const auto outputs = [](const std::vector<OperatorNode>& nodes) {
    std::int64_t columns = 0;
    for (const OperatorNode& node : nodes) columns += node.count * std::get<Gemm>(node.op).n;
    return columns;
  };
  const auto launches = [](const std::vector<OperatorNode>& nodes) {
    std::int64_t count = 0;
    for (const OperatorNode& node : nodes) count += node.count;
    return count;
  };
  const auto joined = inputs(false), split = inputs(true);
  for (const char* label : {"linear_in_proj", "linear_gates_proj"}) {
    EXPECT_EQ(launches(joined.at(label)), 45) << label;
    EXPECT_EQ(launches(split.at(label)), 90) << label;
    EXPECT_EQ(outputs(split.at(label)), outputs(joined.at(label))) << label;
  }
}

TEST(OperatorGraph, RoutesTokensOfEveryDataParallelRank) {
  const ModelArchitecture model = load_model("Qwen3-30B-A3B");
  const Sharding sharding{.expert_parallel = 2, .attention_data_parallel = 2};
  StepShape step = StepShape::one_token_each(10, 100);
  auto nodes = by_label(build_operator_graph(model, sharding, step));
  const auto& moe = only<FusedMoe>(nodes, "moe");
  EXPECT_EQ(moe.tokens, 20);
  EXPECT_EQ(moe.expert_parallel, 2);
  EXPECT_EQ(moe.tensor_parallel, 1);
  EXPECT_EQ(moe.intermediate, 768);
  EXPECT_EQ(only<Gemm>(nodes, "router").n, 128);
  EXPECT_DOUBLE_EQ(only<Collective>(nodes, "moe_allgather").size.value(), 20.0 * (2048 + 128) * 2);
  EXPECT_DOUBLE_EQ(only<Collective>(nodes, "moe_reduce_scatter").size.value(), 20.0 * 2048 * 2);
  EXPECT_EQ(nodes.count("allreduce"), 0u);
  step.group_tokens = 33;
  nodes = by_label(
      build_operator_graph(model, sharding, step, {.expert_exchange = ExpertExchange::DispatchCombine}));
  EXPECT_EQ(only<FusedMoe>(nodes, "moe").tokens, 33);
  EXPECT_DOUBLE_EQ(only<Collective>(nodes, "moe_dispatch").size.value(), 33.0 / 2 * 2048 * 8 * 2);
}

TEST(OperatorGraph, ExpandsAndAbsorbsLatentAttention) {
  StepShape step = StepShape::whole_prompts(1, 100, 50);
  step.decode = {{8, 1, 500}};
  step.logits_rows = 9;
  const auto nodes = by_label(build_operator_graph(load_model("DeepSeek-V3"), {.tensor_parallel = 8}, step));
  EXPECT_EQ(only<Gemm>(nodes, "kv_b_proj").m, 150);
  EXPECT_EQ(only<Gemm>(nodes, "kv_b_proj").n, 16 * 256);
  EXPECT_EQ(only<Gemm>(nodes, "q_absorb").m, 8);
  EXPECT_EQ(only<Gemm>(nodes, "q_absorb").batch, 16);
  EXPECT_EQ(only<Gemm>(nodes, "v_absorb").k, 512);
  EXPECT_EQ(only<MlaDecode>(nodes, "mla_decode").shape.heads, 16);
  EXPECT_EQ(nodes.at("mla_decode").front().count, 61);
  EXPECT_EQ(nodes.at("moe").front().count, 58);
  EXPECT_EQ(nodes.at("gate_up_proj").front().count, 3);
  EXPECT_EQ(nodes.at("shared_add").front().count, 58);
  const OperatorNode& qkv = nodes.at("qkv_a_proj").front();
  EXPECT_EQ(std::get<Gemm>(qkv.op).n, 1536 + 576);
  EXPECT_EQ(std::get<Gemm>(qkv.op).scheme, MatmulScheme::Fp8Block);
  EXPECT_EQ(std::get<KvWrite>(nodes.at("kv_write").front().op).head_dim * 2, 576);
}

TEST(OperatorGraph, SeparatesWindowedLayers) {
  const auto nodes =
      by_label(build_operator_graph(load_model("gpt-oss-120b"), {}, StepShape::one_token_each(1, 4000)));
  const auto& attention = nodes.at("attention_decode");
  ASSERT_EQ(attention.size(), 2u);
  EXPECT_EQ(std::get<AttentionDecode>(attention[0].op).window, 128);
  EXPECT_EQ(std::get<AttentionDecode>(attention[1].op).window, 0);
  EXPECT_EQ(attention[0].count, 18);
  EXPECT_EQ(std::get<FusedMoe>(nodes.at("moe").front().op).scheme, MatmulScheme::MxFp4A16);
  const auto blackwell =
      by_label(build_operator_graph(load_model("gpt-oss-120b"), {}, StepShape::one_token_each(1, 9),
                                    {.mxfp4_scheme = MatmulScheme::MxFp4A8}));
  EXPECT_EQ(std::get<FusedMoe>(blackwell.at("moe").front().op).scheme, MatmulScheme::MxFp4A8);
}

TEST(OperatorGraph, QuantisesApartOnlyWhereTheProductDoesNot) {
  const StepShape step = StepShape::one_token_each(4, 10);
  const auto fixed = by_label(build_operator_graph(load_model("nvidia/Llama-3.1-8B-Instruct-FP8"), {}, step));
  EXPECT_EQ(fixed.at("quantize").size(), 4u);
  EXPECT_FALSE(std::get<Quantize>(fixed.at("quantize").front().op).dynamic);
  EXPECT_EQ(std::get<KvWrite>(fixed.at("kv_write").front().op).kv_cache, DataType::Fp8);
  EXPECT_EQ(by_label(build_operator_graph(load_model("Qwen3-32B-FP8"), {}, step)).count("quantize"), 0u);
}

TEST(OperatorGraph, RunsLinearAttentionBesideFull) {
  StepShape step = StepShape::whole_prompts(2, 1000);
  step.prefill.push_back({1, 400, 0});
  const auto nodes =
      by_label(build_operator_graph(load_model("Qwen3-Next-80B-A3B-Instruct"), {.tensor_parallel = 2}, step));
  const auto& scan = only<LinearAttention>(nodes, "linear_scan");
  EXPECT_EQ(scan.sequences, 3);
  EXPECT_EQ(scan.tokens_per_sequence, 800);
  EXPECT_EQ(scan.value_heads, 16);
  EXPECT_EQ(nodes.at("linear_scan").front().count, 36);
  EXPECT_EQ(nodes.at("attention_prefill").front().count, 12);
  EXPECT_EQ(only<Gemm>(nodes, "qkv_proj").n, 2 * 8 * 256 + 2 * 1 * 256);
}

TEST(StepPlan, LeavesOutLogitsOfStepsThatYieldNone) {
  StepPlan plan(load_model("Llama-3.1-8B"), {.tensor_parallel = 2});
  const std::size_t with = plan.dense_operators(100, 4).size();
  EXPECT_EQ(plan.dense_operators(100, 0).size() + 2, with);
  EXPECT_EQ(plan.collective_operators(100, 0).size() + 1, plan.collective_operators(100, 1).size());
  EXPECT_THROW(plan.dense_operators(0, 0), InvalidInput);
  EXPECT_TRUE(plan.attention_operators({}).empty());
}

TEST(StepPlan, PartsByRowSourceAreTheWholeGraph) {
  const Sharding sharding{.tensor_parallel = 2, .expert_parallel = 4, .attention_data_parallel = 2};
  StepPlan plan(load_model("Qwen3-30B-A3B"), sharding);
  const std::size_t whole = plan.dense_operators(64, 8).size() + plan.collective_operators(64, 8).size();
  const auto groups = plan.operators_of(RowSource::GroupTokens, 128);
  EXPECT_EQ(plan.operators_of(RowSource::Tokens, 64).size() + groups.size() +
                plan.operators_of(RowSource::LogitsRows, 8).size(),
            whole);
  ASSERT_FALSE(groups.empty());
  EXPECT_EQ(std::get<FusedMoe>(groups.front().op).tokens, 128);
  EXPECT_EQ(plan.attention_of(StepShape::one_token_each(3, 5)).size(), 1u);
}

TEST(RequestSplit, KeepsRequestsWithinAChunk) {
  std::vector<RequestGroup> result;
  split_into_chunks({{3, 10, 5}, {1, 1, 8192}, {1, 8192, 8190}}, 8192, result);
  ASSERT_EQ(result.size(), 4u);
  EXPECT_EQ(result[0].context_tokens, 5);
  EXPECT_EQ(result[1].context_tokens, 0);
  EXPECT_EQ(result[2].query_tokens, 2);
  EXPECT_EQ(result[3].query_tokens, 8190);
}

RC_GTEST_PROP(RequestSplit, ConservesTokensAndNeverExceedsTheChunk, ()) {
  const auto chunk = *rc::gen::inRange<std::int64_t>(1, 100);
  const RequestGroup group{*rc::gen::inRange<std::int64_t>(1, 5), *rc::gen::inRange<std::int64_t>(1, 500),
                           *rc::gen::inRange<std::int64_t>(0, 500)};
  std::vector<RequestGroup> result;
  split_into_chunks({group}, chunk, result);
  RC_ASSERT(StepShape::tokens_of(result) == group.count * group.query_tokens);
  for (const RequestGroup& part : result) RC_ASSERT(part.kv_tokens() <= chunk);
}

RC_GTEST_PROP(StepPlan, AFilledPlanEqualsAFreshGraph, ()) {
  static const ModelCatalog catalog;
  const auto& entry = catalog.entries()[*rc::gen::inRange<std::size_t>(0, catalog.entries().size())];
  StepPlan plan(entry.model, {});
  plan.dense_operators(7, 3);
  plan.attention_operators({{{2, 9, 1}}, {{4, 1, 77}}, 3, 0});
  const StepShape step{{{1, *rc::gen::inRange<std::int64_t>(1, 3000), 0}}, {{2, 1, 50}}, 3, 0};
  const OperatorGraph fresh = build_operator_graph(entry.model, {}, step);
  OperatorGraph filled;
  for (const auto nodes : {plan.dense_operators(step.tokens(), 3), plan.attention_operators(step)}) {
    filled.insert(filled.end(), nodes.begin(), nodes.end());
  }
  RC_ASSERT(filled.size() == fresh.size());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    RC_ASSERT(filled[i].count == fresh[i].count);
    RC_ASSERT(shape_hash(filled[i].op) == shape_hash(fresh[i].op));
  }
}

}  // namespace
}  // namespace warploom
