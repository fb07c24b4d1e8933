#include <algorithm>

#include "warploom/models/plan_builders.h"

namespace warploom {
namespace {

void add_norms(ScaledOperators& plan, const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  RmsNorm norm{.type = model.dtype, .width = model.hidden, .residual = false, .layer_norm = model.layer_norm};
  // A norm of each part of a layer takes the residual in; any further ones (behind attention and MLP in
  // Gemma 2 and 3) do not.
  std::int64_t norms = 0, joining = 0;
  for (const LayerGroup& group : context.layers) {
    norms += group.count * model.norms_of(group);
    joining += group.count * std::min(model.norms_of(group), group.parts());
  }
  const std::int64_t plain = norms - joining + (context.first_stage ? 1 : 0);
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
             Embedding{.type = model.dtype, .hidden = model.hidden, .vocabulary = context.vocabulary});
  }
  add_norms(plan, context);
  for (const LayerGroup& group : context.layers) {
    const LaunchedLayer layer = context.launched(group);
    std::visit([&](const auto& mixer) { mixer.add_projections(plan, layer); }, group.mixer);
    std::visit([&](const auto& part) { part.add_operators(plan, layer); }, group.feed_forward);
  }
  if (context.last_stage) {
    const RowRule logits{.source = RowSource::LogitsRows};
    plan.add("lm_head", 1,
             Gemm{.scheme = plain_scheme(model.dtype), .n = context.vocabulary, .k = model.hidden}, logits);
    if (context.options.sampling) plan.add("sampling", 1, Sampling{.vocabulary = model.vocabulary}, logits);
  }
  return plan;
}

}  // namespace warploom
