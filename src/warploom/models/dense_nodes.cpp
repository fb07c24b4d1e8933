#include <algorithm>
#include <array>

#include "warploom/models/plan_builders.h"

namespace warploom {
namespace {

// What chooses the experts of each token.
constexpr std::array<std::string_view, 2> kGate{"router", "expert_choice"};

// Those of a feed-forward's operators that its side launches: dense layers lie with the gate.
void add_feed_forward(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  const LaunchedLayer layer = context.launched(group);
  const LayerSide side = context.options.side;
  if (side == LayerSide::Both)
    return std::visit([&](const auto& part) { part.add_operators(plan, layer); }, group.feed_forward);
  ScaledOperators whole;
  std::visit([&](const auto& part) { part.add_operators(whole, layer); }, group.feed_forward);
  const bool gate_here = context.gate_apart() == (side == LayerSide::FeedForward);
  for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
    const OperatorNode& node = whole.nodes[i];
    const bool of_gate =
        group.mixture() == nullptr || std::find(kGate.begin(), kGate.end(), node.label) != kGate.end();
    if (of_gate ? !gate_here : side == LayerSide::Attention) continue;
    plan.add(node.label, node.count, node.op, whole.rules[i]).stream = node.stream;
  }
}

}  // namespace

ScaledOperators dense_plan(const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  const bool attends = context.options.side != LayerSide::FeedForward;
  ScaledOperators plan;
  if (context.first_stage && attends) {
    plan.add("embedding", 1,
             Embedding{.type = model.dtype, .hidden = model.hidden, .vocabulary = context.vocabulary});
  }
  if (attends) add_residuals(plan, context);
  for (const LayerGroup& group : context.layers) {
    if (attends) {
      const LaunchedLayer layer = context.launched(group);
      std::visit([&](const auto& part) { part.add_operators(plan, layer); }, group.lookup);
      std::visit([&](const auto& mixer) { mixer.add_projections(plan, layer); }, group.mixer);
    }
    add_feed_forward(plan, context, group);
  }
  if (context.last_stage && attends) {
    const RowRule logits{.source = RowSource::LogitsRows};
    plan.add("lm_head", 1,
             Gemm{.scheme = plain_scheme(model.dtype), .n = context.vocabulary, .k = model.hidden}, logits);
    if (context.options.sampling) plan.add("sampling", 1, Sampling{.vocabulary = model.vocabulary}, logits);
  }
  return plan;
}

}  // namespace warploom
