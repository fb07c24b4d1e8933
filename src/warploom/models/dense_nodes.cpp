#include <algorithm>
#include <array>

#include "warploom/models/plan_builders.h"

namespace warploom {

namespace {

// Attention and the gated activation write what these read; the others read what a norm wrote.
constexpr std::array<std::string_view, 3> kBehindKernels{"o_proj", "down_proj", "shared_down_proj"};

// Whether the kernel before a linear layer writes values that are quantised already.
bool quantised_before(const PlanContext& context, std::string_view label) {
  const bool behind_kernel =
      std::find(kBehindKernels.begin(), kBehindKernels.end(), label) != kBehindKernels.end();
  if (behind_kernel) return context.options.fuse_static_quantization;
  return context.options.fuse_norm_quantization && context.options.fuse_allreduce_norm &&
         context.sharding.tensor_parallel > 1;
}

}  // namespace

void add_linear(ScaledOperators& plan, const PlanContext& context, std::string_view label, std::int64_t count,
                MatmulScheme scheme, std::int64_t n, std::int64_t k) {
  const DataType operand = activation_type(scheme);
  if (bytes_per_element(operand) < 2.0 && !quantises_activations(scheme)) {
    const bool known_scales = scheme == MatmulScheme::Fp8Static;
    if (!known_scales || !quantised_before(context, label))
      plan.add("quantize", count, Quantize{.target = operand, .width = k, .dynamic = !known_scales});
  }
  plan.add(label, count, Gemm{.scheme = scheme, .n = n, .k = k});
}

namespace {

void add_mlp(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  const ModelArchitecture& model = context.model;
  const std::int64_t width = context.local.intermediate;
  add_linear(plan, context, model.gated_mlp ? "gate_up_proj" : "up_proj", group.count, group.schemes.mlp,
             (model.gated_mlp ? 2 : 1) * width, model.hidden);
  plan.add(model.gated_mlp ? "silu_and_mul" : "activation", group.count,
           Activation{.type = model.dtype, .width = width, .gated = model.gated_mlp});
  add_linear(plan, context, "down_proj", group.count, group.schemes.mlp, model.hidden, width);
}

void add_shared_experts(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  const ModelArchitecture& model = context.model;
  const std::int64_t width = context.local.shared_intermediate;
  const MatmulScheme scheme = group.schemes.shared_experts;
  add_linear(plan, context, "shared_gate_up_proj", group.count, scheme, 2 * width, model.hidden);
  plan.add("shared_silu_and_mul", group.count,
           Activation{.type = model.dtype, .width = width, .gated = true});
  add_linear(plan, context, "shared_down_proj", group.count, scheme, model.hidden, width);
  if (model.mixture->shared_gate) {
    plan.add("shared_gate", group.count,
             Gemm{.scheme = plain_scheme(model.dtype), .n = 1, .k = model.hidden});
    plan.add("shared_gate", group.count,
             Elementwise{.kind = ElementwiseKind::Multiply, .type = model.dtype, .width = model.hidden});
  }
  plan.add("shared_add", group.count,
           Elementwise{.kind = ElementwiseKind::Add, .type = model.dtype, .width = model.hidden});
}

void add_mixture(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  const ModelArchitecture& model = context.model;
  const MixtureOfExperts& mixture = *model.mixture;
  plan.add("router", group.count,
           Gemm{.scheme = plain_scheme(model.dtype), .n = mixture.experts, .k = model.hidden});
  FusedMoe moe;
  moe.scheme = group.schemes.experts;
  moe.hidden = model.hidden;
  moe.intermediate = mixture.intermediate;
  moe.experts = mixture.experts;
  moe.top_k = mixture.top_k;
  moe.tensor_parallel = context.sharding.moe_tensor_parallel();
  moe.expert_parallel = context.sharding.expert_parallel;
  moe.routing = context.options.routing;
  moe.routing_alpha = context.options.routing == RoutingKind::PowerLaw ? context.options.routing_alpha : 0.0;
  moe.gated = mixture.gated;
  if (context.options.choose_experts)
    plan.add("expert_choice", group.count, Sampling{.vocabulary = mixture.experts});
  plan.add("moe", group.count, moe, {.source = RowSource::GroupTokens});
  if (mixture.shared_intermediate > 0) add_shared_experts(plan, context, group);
}

void add_norms(ScaledOperators& plan, const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  RmsNorm norm{.type = model.dtype, .width = model.hidden, .residual = false, .layer_norm = model.layer_norm};
  // Two norms of a layer take the residual in; any further ones (after attention and MLP in Gemma 2 and 3) do
  // not.
  const std::int64_t joining = std::min<std::int64_t>(model.norms_per_layer, 2) * context.layer_count();
  const std::int64_t plain =
      model.norms_per_layer * context.layer_count() - joining + (context.first_stage ? 1 : 0);
  if (plain > 0) plan.add("rmsnorm", plain, norm);
  norm.residual = true;
  const std::int64_t with_residual = joining - (context.first_stage ? 1 : 0) + (context.last_stage ? 1 : 0);
  constexpr std::int64_t kFusedTokens = 2048;
  const bool fused = context.options.fuse_allreduce_norm && context.sharding.tensor_parallel > 1;
  if (with_residual > 0) plan.add("rmsnorm", with_residual, norm, {.above = fused ? kFusedTokens : 0});
}

}  // namespace

ScaledOperators dense_plan(const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  ScaledOperators plan;
  if (context.first_stage) {
    plan.add("embedding", 1,
             Embedding{.type = model.dtype, .hidden = model.hidden, .vocabulary = context.local.vocabulary});
  }
  add_norms(plan, context);
  for (const LayerGroup& group : context.layers) {
    add_attention_projections(plan, context, group);
    if (group.mixture) {
      add_mixture(plan, context, group);
    } else {
      add_mlp(plan, context, group);
    }
  }
  if (context.last_stage) {
    const RowRule logits{.source = RowSource::LogitsRows};
    plan.add("lm_head", 1,
             Gemm{.scheme = plain_scheme(model.dtype), .n = context.local.vocabulary, .k = model.hidden},
             logits);
    if (context.options.sampling) plan.add("sampling", 1, Sampling{.vocabulary = model.vocabulary}, logits);
  }
  return plan;
}

}  // namespace warploom
