#include "warploom/models/scaled_operators.h"

#include "warploom/base/error.h"
#include "warploom/kernels/operator_family.h"

namespace warploom {
void set_rows(Operator& op, std::int64_t rows, const RowRule& rule) {
  if (auto* collective = std::get_if<Collective>(&op)) {
    collective->size = Bytes(static_cast<double>(rows) * rule.bytes_per_row);
    return;
  }
  const OperatorFamily& family = family_value(op);
  WARPLOOM_ASSERT(family.rows != nullptr);  // else it scales with requests
  *family.rows(op) = (rows * rule.factor + rule.divisor - 1) / rule.divisor;
}

OperatorNode& ScaledOperators::add(std::string_view label, std::int64_t count, Operator op, RowRule rule) {
  WARPLOOM_ASSERT(rule.source == RowSource::LogitsRows || logits_begin == nodes.size());
  nodes.push_back({.op = std::move(op), .count = count, .label = label, .source = rule.source});
  rules.push_back(rule);
  counts.push_back(count);
  if (rule.source != RowSource::LogitsRows) logits_begin = nodes.size();
  return nodes.back();
}

void ScaledOperators::append(const ScaledOperators& others) {
  for (std::size_t i = 0; i < others.nodes.size(); ++i) {
    const OperatorNode& node = others.nodes[i];
    add(node.label, others.counts[i], node.op, others.rules[i]).stream = node.stream;
  }
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

}  // namespace warploom
