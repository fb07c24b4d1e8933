#include "warploom/models/scaled_operators.h"

#include "warploom/base/any_of.h"
#include "warploom/base/error.h"

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

}  // namespace

void set_rows(Operator& op, std::int64_t rows, const RowRule& rule) {
  std::visit(SetRows{(rows * rule.factor + rule.divisor - 1) / rule.divisor,
                     static_cast<double>(rows) * rule.bytes_per_row},
             op);
}

OperatorNode& ScaledOperators::add(std::string_view label, std::int64_t count, Operator op, RowRule rule) {
  WARPLOOM_ASSERT(rule.source == RowSource::LogitsRows || logits_begin == nodes.size());
  nodes.push_back({.op = std::move(op), .count = count, .label = label, .source = rule.source});
  rules.push_back(rule);
  counts.push_back(count);
  if (rule.source != RowSource::LogitsRows) logits_begin = nodes.size();
  return nodes.back();
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
