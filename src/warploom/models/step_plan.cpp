#include "warploom/models/step_plan.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/models/plan_builders.h"

namespace warploom {
namespace {

std::int64_t launches(const ScaledOperators& operators) {
  std::int64_t total = 0;
  for (const OperatorNode& node : operators.nodes) total += node.count;
  return total;
}

}  // namespace

StepPlan::StepPlan(const ModelArchitecture& model, const Sharding& sharding, const GraphOptions& options)
    : sharding_(sharding),
      gathers_by_rank_(options.gathers_by_rank &&
                       options.expert_exchange == ExpertExchange::AllGatherReduceScatter) {
  const PlanContext context = make_plan_context(model, sharding, options);
  layers_ = context.layer_count();
  dense_ = dense_plan(context);
  collectives_ = collective_plan(context);
  attention_ = attention_plan(context);
}

std::int64_t StepPlan::group_tokens(std::int64_t tokens, std::int64_t given) const {
  if (tokens <= 0) throw InvalidInput(fmt::format("step: has {} tokens, expected at least one", tokens));
  return given > 0 ? given : tokens * sharding_.expert_groups();
}

std::span<const OperatorNode> StepPlan::dense_operators(std::int64_t tokens, std::int64_t logits_rows,
                                                        std::int64_t group) {
  return dense_.scale(tokens, group_tokens(tokens, group), logits_rows);
}

std::span<const OperatorNode> StepPlan::collective_operators(std::int64_t tokens, std::int64_t logits_rows,
                                                             std::int64_t group) {
  return collectives_.scale(tokens, group_tokens(tokens, group), logits_rows);
}

std::span<const OperatorNode> StepPlan::attention_operators(const StepShape& step) {
  return attention_.fill(step);
}

std::vector<ContextReach> StepPlan::decode_reaches() const {
  std::vector<ContextReach> reaches;
  for (std::size_t i = attention_.decode_begin; i < attention_.nodes.size(); ++i)
    reaches.push_back(attention_.reach(i));
  return reaches;
}

std::vector<OperatorNode> StepPlan::operators_of(RowSource source, std::int64_t rows) const {
  WARPLOOM_ASSERT(rows > 0);
  std::vector<OperatorNode> result;
  for (const ScaledOperators* list : {&dense_, &collectives_}) {
    for (std::size_t i = 0; i < list->nodes.size(); ++i) {
      if (list->rules[i].source != source) continue;
      result.push_back(list->nodes[i]);
      set_rows(result.back().op, rows, list->rules[i]);
    }
  }
  return result;
}

std::vector<OperatorNode> StepPlan::attention_of(const StepShape& step) const {
  RequestOperators operators = attention_;
  const std::span<const OperatorNode> nodes = operators.fill(step);
  return {nodes.begin(), nodes.end()};
}

std::int64_t StepPlan::dense_launches() const { return launches(dense_) + launches(collectives_); }

}  // namespace warploom
