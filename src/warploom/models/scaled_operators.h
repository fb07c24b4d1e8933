// Operators whose sizes follow from the number of tokens of a step, each with its rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warploom/models/operator_node.h"

namespace warploom {

// How a step's sizes enter an operator: rows = factor x source / divisor, rounded up; for collectives size =
// bytes_per_row x source.
struct RowRule {
  RowSource source = RowSource::Tokens;
  std::int64_t factor = 1;
  double bytes_per_row = 0;
  std::int64_t divisor = 1;  // source tokens that share a row: groups of a batched product
  std::int64_t above = 0;    // runs in steps of more source tokens than this
};

// Sets the size of an operator that scales with rows, for `rows` of the rule's source.
void set_rows(Operator& op, std::int64_t rows, const RowRule& rule);

// Operators with their rules, those of LogitsRows last.
struct ScaledOperators {
  std::vector<OperatorNode> nodes;
  std::vector<RowRule> rules;
  std::vector<std::int64_t> counts;  // of nodes, where their rule lets them run; else a node counts 0
  std::size_t logits_begin = 0;      // nodes from here on scale with LogitsRows

  // The node that was added, until the next is.
  OperatorNode& add(std::string_view label, std::int64_t count, Operator op, RowRule rule = {});
  // Adds those of `others`, none of which scales with LogitsRows.
  void append(const ScaledOperators& others);
  std::span<const OperatorNode> scale(std::int64_t tokens, std::int64_t group_tokens,
                                      std::int64_t logits_rows);
};

}  // namespace warploom
