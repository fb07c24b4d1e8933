// Operators whose sizes follow from the requests of a step, each with its rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warploom/models/operator_node.h"
#include "warploom/models/step_shape.h"

namespace warploom {

// What a collective of context parallelism carries.
enum class RequestRows { NewTokens, ContextTokens, TokensAfterContext };

// Which of its cached tokens a decoding request's kernel works on: all, the last `window`, or those since the
// last multiple of `chunk`. 0: not so.
struct ContextReach {
  std::int64_t window = 0, chunk = 0;

  // The context that stands for one of this length.
  std::int64_t of(std::int64_t context) const { return chunk > 0 ? context % chunk : context; }
  // The longest context of which every token is worked on; 0: any.
  std::int64_t most() const { return chunk > 0 ? chunk - 1 : window > 0 ? window - 1 : 0; }
  bool all() const { return window == 0 && chunk == 0; }
  bool operator==(const ContextReach&) const = default;
};

// How a step's requests enter an operator.
struct RequestRule {
  std::int64_t chunk = 0;          // of chunked attention; 0 = none
  std::int64_t context_ranks = 1;  // GPUs that share out the cached tokens of a request
  std::int64_t query_ranks = 1;    // GPUs that share out its new tokens
  std::int64_t request_ranks = 1;  // GPUs that share out the requests
  double bytes_per_row = 0;        // collectives
  RequestRows rows = RequestRows::NewTokens;
};

// Operators whose sizes follow from the requests. Nodes [0, decode_begin) serve prefill, the rest decode.
struct RequestOperators {
  std::vector<OperatorNode> nodes;
  std::vector<RequestRule> rules;
  std::vector<std::int64_t> counts;  // of nodes that have something to do; else a node counts 0
  std::size_t decode_begin = 0;

  void add(std::string_view label, std::int64_t count, Operator op, const RequestRule& rule = {});
  std::span<const OperatorNode> fill(const StepShape& step);
  ContextReach reach(std::size_t node) const;

 private:
  const std::vector<RequestGroup>& part_of(const std::vector<RequestGroup>& groups, std::int64_t ranks);
  std::vector<RequestGroup> part_;  // requests of one of the GPUs that share them out
};

}  // namespace warploom
