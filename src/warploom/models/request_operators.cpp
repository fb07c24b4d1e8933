#include "warploom/models/request_operators.h"

#include "warploom/base/divide_up.h"
#include "warploom/base/error.h"
#include "warploom/models/request_split.h"

namespace warploom {
namespace {

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
    const std::int64_t queries = divide_up(request.query_tokens, rule.query_ranks);
    request.context_tokens =
        divide_up(request.context_tokens, rule.context_ranks) + (request.query_tokens - queries) / 2;
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
  template <class Op>
  void operator()(Op& op) const {
    if constexpr (requires { op.requests; })
      assign(op.requests);
    else
      WARPLOOM_NEVER("this operator scales with rows, not requests");
  }
};

}  // namespace

const std::vector<RequestGroup>& RequestOperators::part_of(const std::vector<RequestGroup>& groups,
                                                           std::int64_t ranks) {
  part_ = groups;
  for (RequestGroup& group : part_) group.count = divide_up(group.count, ranks);
  return part_;
}

std::span<const OperatorNode> RequestOperators::fill(const StepShape& step) {
  const std::size_t begin = step.prefill.empty() ? decode_begin : 0;
  const std::size_t end = step.decode.empty() ? decode_begin : nodes.size();
  for (std::size_t i = begin; i < end; ++i) {
    const bool decode = i >= decode_begin;
    const std::vector<RequestGroup>* groups = decode ? &step.decode : &step.prefill;
    if (rules[i].request_ranks > 1) groups = &part_of(*groups, rules[i].request_ranks);
    std::visit(SetRequests{*groups, rules[i], decode}, nodes[i].op);
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
  nodes.push_back({.op = std::move(op), .count = count, .label = label, .source = RowSource::Requests});
  rules.push_back(rule);
  counts.push_back(count);
}

}  // namespace warploom
