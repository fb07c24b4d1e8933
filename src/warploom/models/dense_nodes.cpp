#include "warploom/models/plan_builders.h"

namespace warploom {
ScaledOperators dense_plan(const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  ScaledOperators plan;
  if (context.first_stage) {
    plan.add("embedding", 1,
             Embedding{.type = model.dtype, .hidden = model.hidden, .vocabulary = context.vocabulary});
  }
  add_residuals(plan, context);
  for (const LayerGroup& group : context.layers) {
    const LaunchedLayer layer = context.launched(group);
    std::visit([&](const auto& part) { part.add_operators(plan, layer); }, group.lookup);
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
