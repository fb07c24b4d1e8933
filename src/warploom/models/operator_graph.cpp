#include "warploom/models/operator_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "warploom/models/plan_builders.h"
#include "warploom/models/step_plan.h"

namespace warploom {

std::int64_t PlanContext::layer_count() const {
  std::int64_t total = 0;
  for (const LayerGroup& group : layers) total += group.count;
  return total;
}

PlanContext make_plan_context(const ModelArchitecture& model, const Sharding& sharding,
                              const GraphOptions& options) {
  check_sharding(model, sharding, "sharding");
  PlanContext context{model, sharding, options, local_shape(model, sharding), {}, true, true, DataType::Bf16};
  LayerRange range{0, model.layer_count()};
  if (options.pipeline_stage) {
    const std::int64_t stage = *options.pipeline_stage;
    if (stage < 0 || stage >= sharding.pipeline_parallel) {
      throw InvalidInput(
          fmt::format("pipeline_stage is {}, expected 0 to {}", stage, sharding.pipeline_parallel - 1));
    }
    range = stage_layers(model.layer_count(), sharding.pipeline_parallel, stage);
    context.first_stage = stage == 0;
    context.last_stage = stage == sharding.pipeline_parallel - 1;
  }
  context.layers = merged_layers(model, range.first, range.last);
  for (LayerGroup& group : context.layers) {
    if (group.schemes.experts == MatmulScheme::MxFp4A16) group.schemes.experts = options.mxfp4_scheme;
  }
  const bool sixteen_bit = model.quantization.kv_cache == DataType::Bf16;
  context.kv_cache = options.kv_cache.value_or(sixteen_bit ? model.dtype : model.quantization.kv_cache);
  return context;
}

OperatorGraph build_operator_graph(const ModelArchitecture& model, const Sharding& sharding,
                                   const StepShape& step, const GraphOptions& options) {
  StepPlan plan(model, sharding, options);
  OperatorGraph graph;
  const auto append = [&graph](std::span<const OperatorNode> nodes) {
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(graph),
                 [](const OperatorNode& node) { return node.count > 0; });
  };
  const std::int64_t tokens = step.rank_tokens(sharding.prefill_context_parallel);
  append(plan.dense_operators(tokens, step.logits_rows, step.group_tokens));
  append(plan.attention_operators(step));
  append(plan.collective_operators(tokens, step.logits_rows, step.group_tokens));
  return graph;
}

FieldTable GraphOptions::describe() {
  return FieldList<GraphOptions>("graph_options")
      .add("kv_cache", &GraphOptions::kv_cache, {.doc = "type of the KV cache; absent = the checkpoint's"})
      .add("routing", &GraphOptions::routing, {.doc = "how tokens spread over experts"})
      .add("routing_alpha", &GraphOptions::routing_alpha,
           {.doc = "exponent of power-law routing", .min = 0, .max = 16})
      .add("expert_exchange", &GraphOptions::expert_exchange,
           {.doc = "how tokens reach experts under data-parallel attention"})
      .add("mxfp4_scheme", &GraphOptions::mxfp4_scheme, {.doc = "activations that meet mxfp4 weights"})
      .add("sampling", &GraphOptions::sampling, {.doc = "count the sampling kernel"})
      .add("fuse_qk_norm_rope", &GraphOptions::fuse_qk_norm_rope,
           {.doc = "norms of queries and keys are part of the rotation"})
      .add("fuse_allreduce_norm", &GraphOptions::fuse_allreduce_norm,
           {.doc = "norms are part of all-reduces of few tokens"})
      .add("parallel_latent_norms", &GraphOptions::parallel_latent_norms,
           {.doc = "latent keys are normalised beside queries when decoding"})
      .add("ranks_per_node", &GraphOptions::ranks_per_node, {.doc = "0 = all in one link domain", .min = 0})
      .add("pipeline_stage", &GraphOptions::pipeline_stage,
           {.doc = "one stage alone; absent = all", .min = 0})
      .table();
}

bool runs_beside_experts(const OperatorNode& node) {
  constexpr std::int64_t kMostTokens = 256;
  if (!node.label.starts_with("shared_") || node.label == "shared_add") return false;
  if (const auto* gemm = std::get_if<Gemm>(&node.op)) return gemm->m <= kMostTokens;
  if (const auto* activation = std::get_if<Activation>(&node.op)) return activation->tokens <= kMostTokens;
  return false;
}

}  // namespace warploom
