#include "warploom/models/plan_builders.h"

namespace warploom {
namespace {

// Whether one node of attention serves the layers of both: they differ only in what attention does not see.
bool attend_alike(const LayerGroup& a, const LayerGroup& b) {
  return std::visit(
      [&]<class Kind>(const Kind& mixer) {
        const auto* other = std::get_if<Kind>(&b.mixer);
        if (other == nullptr || !mixer.attends_like(*other)) return false;
        return !Kind::kAttentionMultipliesWeights || a.schemes.attention_input == b.schemes.attention_input;
      },
      a.mixer);
}

std::vector<LayerGroup> attention_groups(const PlanContext& context) {
  std::vector<LayerGroup> groups;
  for (const LayerGroup& group : context.layers) {
    bool joined = false;
    for (LayerGroup& known : groups) {
      if (!attend_alike(known, group)) continue;
      known.count += group.count;
      joined = true;
      break;
    }
    if (!joined) groups.push_back(group);
  }
  return groups;
}

}  // namespace

RequestOperators attention_plan(const PlanContext& context) {
  RequestOperators plan;
  if (context.options.side == LayerSide::FeedForward) return plan;
  for (const bool decode : {false, true}) {
    for (const LayerGroup& group : attention_groups(context)) {
      const LaunchedLayer layer = context.launched(group);
      std::visit([&](const auto& mixer) { mixer.add_attention(plan, layer, decode); }, group.mixer);
    }
    if (!decode) plan.decode_begin = plan.nodes.size();
  }
  return plan;
}

}  // namespace warploom
