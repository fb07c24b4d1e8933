#include "warploom/models/step_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/any_of.h"
#include "warploom/models/plan_builders.h"
#include "warploom/models/request_split.h"

namespace warploom {
namespace {

struct SetRows {
  std::int64_t rows;
  double bytes;

  void operator()(Gemm& op) const { op.m = rows; }
  void operator()(FusedMoe& op) const { op.tokens = rows; }
  void operator()(RmsNorm& op) const { op.tokens = rows; }
  void operator()(Activation& op) const { op.tokens = rows; }
  void operator()(Elementwise& op) const { op.rows = rows; }
  void operator()(Rope& op) const { op.tokens = rows; }
  void operator()(KvWrite& op) const { op.tokens = rows; }
  void operator()(Quantize& op) const { op.rows = rows; }
  void operator()(Embedding& op) const { op.tokens = rows; }
  void operator()(Sampling& op) const { op.sequences = rows; }
  void operator()(Collective& op) const { op.size = Bytes(bytes); }
  template <AnyOf<AttentionPrefill, AttentionDecode, MlaPrefill, MlaDecode, MlaModule, LinearAttention> Op>
  void operator()(Op&) const {
    WARPLOOM_ASSERT(!"this operator scales with requests, not rows");
  }
};

struct SetRequests {
  const std::vector<RequestGroup>& groups;
  const RequestRule& rule;
  bool decode;

  void assign(std::vector<RequestGroup>& requests) const {
    if (rule.chunk > 0) {
      split_into_chunks(groups, rule.chunk, requests);
    } else {
      requests.assign(groups.begin(), groups.end());
    }
    if (rule.context_ranks > 1 || rule.query_ranks > 1)
      for (RequestGroup& request : requests) share_out(request);
  }
  // A rank's queries come in equal parts from both ends of the prompt: in the mean they see half of it.
  void share_out(RequestGroup& request) const {
    const std::int64_t queries = (request.query_tokens + rule.query_ranks - 1) / rule.query_ranks;
    request.context_tokens = (request.context_tokens + rule.context_ranks - 1) / rule.context_ranks +
                             (request.query_tokens - queries) / 2;
    request.query_tokens = queries;
  }
  void operator()(Collective& op) const {
    std::int64_t rows = 0;
    for (const RequestGroup& group : groups) {
      const bool counts = rule.rows != RequestRows::TokensAfterContext || group.context_tokens > 0;
      rows += counts ? group.count * (rule.rows == RequestRows::ContextTokens ? group.context_tokens
                                                                              : group.query_tokens)
                     : 0;
    }
    op.size = Bytes(static_cast<double>(rows) * rule.bytes_per_row);
  }
  void operator()(AttentionPrefill& op) const { assign(op.requests); }
  void operator()(AttentionDecode& op) const { assign(op.requests); }
  void operator()(MlaPrefill& op) const { assign(op.requests); }
  void operator()(MlaDecode& op) const { assign(op.requests); }
  // Prefill expands keys and values of the cached context too; decode multiplies its new tokens alone.
  void operator()(Gemm& op) const {
    op.m = 0;
    for (const RequestGroup& group : groups)
      op.m += group.count * (decode ? group.query_tokens : group.kv_tokens());
  }
  // The kernel's work is linear in tokens, so requests of unequal length enter at their mean, rounded up.
  void operator()(LinearAttention& op) const {
    op.sequences = StepShape::requests_of(groups);
    op.tokens_per_sequence = (StepShape::tokens_of(groups) + op.sequences - 1) / op.sequences;
  }
  template <AnyOf<MlaModule, FusedMoe, RmsNorm, Activation, Elementwise, Rope, KvWrite, Quantize, Embedding,
                  Sampling>
                Op>
  void operator()(Op&) const {
    WARPLOOM_ASSERT(!"this operator scales with rows, not requests");
  }
};

void set_rows(Operator& op, std::int64_t rows, const RowRule& rule) {
  std::visit(SetRows{(rows * rule.factor + rule.divisor - 1) / rule.divisor,
                     static_cast<double>(rows) * rule.bytes_per_row},
             op);
}

std::int64_t launches(const ScaledOperators& operators) {
  std::int64_t total = 0;
  for (const OperatorNode& node : operators.nodes) total += node.count;
  return total;
}

}  // namespace

void ScaledOperators::add(std::string_view label, std::int64_t count, Operator op, RowRule rule) {
  WARPLOOM_ASSERT(rule.source == RowSource::LogitsRows || logits_begin == nodes.size());
  nodes.push_back({std::move(op), count, label});
  rules.push_back(rule);
  counts.push_back(count);
  if (rule.source != RowSource::LogitsRows) logits_begin = nodes.size();
}

std::span<const OperatorNode> ScaledOperators::scale(std::int64_t tokens, std::int64_t group_tokens,
                                                     std::int64_t logits_rows) {
  const std::size_t used = logits_rows > 0 ? nodes.size() : logits_begin;
  for (std::size_t i = 0; i < used; ++i) {
    const RowRule& rule = rules[i];
    const std::int64_t source = rule.source == RowSource::Tokens        ? tokens
                                : rule.source == RowSource::GroupTokens ? group_tokens
                                                                        : logits_rows;
    set_rows(nodes[i].op, source, rule);
    nodes[i].count = source > rule.above ? counts[i] : 0;
  }
  return {nodes.data(), used};
}

std::span<const OperatorNode> RequestOperators::fill(const StepShape& step) {
  const std::size_t begin = step.prefill.empty() ? decode_begin : 0;
  const std::size_t end = step.decode.empty() ? decode_begin : nodes.size();
  for (std::size_t i = begin; i < end; ++i) {
    const bool decode = i >= decode_begin;
    std::visit(SetRequests{decode ? step.decode : step.prefill, rules[i], decode}, nodes[i].op);
    const auto* collective = std::get_if<Collective>(&nodes[i].op);
    nodes[i].count = collective != nullptr && collective->size.value() == 0 ? 0 : counts[i];
  }
  return end > begin ? std::span<const OperatorNode>{nodes.data() + begin, end - begin}
                     : std::span<const OperatorNode>{};
}

ContextReach RequestOperators::reach(std::size_t node) const {
  const auto* decode = std::get_if<AttentionDecode>(&nodes[node].op);
  return {.window = decode != nullptr ? decode->window * rules[node].context_ranks : 0,
          .chunk = rules[node].chunk};
}

void RequestOperators::add(std::string_view label, std::int64_t count, Operator op, const RequestRule& rule) {
  nodes.push_back({std::move(op), count, label});
  rules.push_back(rule);
  counts.push_back(count);
}

StepPlan::StepPlan(const ModelArchitecture& model, const Sharding& sharding, const GraphOptions& options)
    : sharding_(sharding) {
  const PlanContext context = make_plan_context(model, sharding, options);
  layers_ = context.layer_count();
  dense_ = dense_plan(context);
  collectives_ = collective_plan(context);
  attention_ = attention_plan(context);
}

std::int64_t StepPlan::group_tokens(std::int64_t tokens, std::int64_t given) const {
  if (tokens <= 0) throw InvalidInput(fmt::format("step: has {} tokens, expected at least one", tokens));
  return given > 0 ? given : tokens * sharding_.attention_data_parallel;
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
