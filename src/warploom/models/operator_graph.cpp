#include "warploom/models/operator_graph.h"

#include <algorithm>
#include <iterator>

#include "warploom/models/step_plan.h"

namespace warploom {

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

}  // namespace warploom
