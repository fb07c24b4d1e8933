// The operator graph of a model compiled once, so that a step only fills in its sizes.
//
//   StepPlan plan(model, sharding, options);
//   for each step:
//     price(plan.dense_operators(tokens, logits_rows));        // depends on the token count alone
//     price(plan.collective_operators(tokens, logits_rows));
//     price(plan.attention_operators(step));                   // depends on every request
//
// With data-parallel attention the routed experts and the exchange of their tokens scale with the tokens of
// all ranks (RowSource::GroupTokens).
//
// Spans stay valid until the next call of the same function. Calls reuse storage: no allocation once the
// lists of requests have grown to their largest. Const functions are thread-safe, the others not; copies are
// independent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/models/operator_graph.h"

namespace warploom {

// What the rows of an operator count.
enum class RowSource { Tokens, GroupTokens, LogitsRows };

// How a step's sizes enter an operator: rows = factor x source / divisor, rounded up; for collectives size =
// bytes_per_row x source.
struct RowRule {
  RowSource source = RowSource::Tokens;
  std::int64_t factor = 1;
  double bytes_per_row = 0;
  std::int64_t divisor = 1;  // source tokens that share a row: groups of a batched product
  std::int64_t above = 0;    // runs in steps of more source tokens than this
};

// Operators with their rules, those of LogitsRows last.
struct ScaledOperators {
  std::vector<OperatorNode> nodes;
  std::vector<RowRule> rules;
  std::vector<std::int64_t> counts;  // of nodes, where their rule lets them run; else a node counts 0
  std::size_t logits_begin = 0;      // nodes from here on scale with LogitsRows

  void add(std::string_view label, std::int64_t count, Operator op, RowRule rule = {});
  std::span<const OperatorNode> scale(std::int64_t tokens, std::int64_t group_tokens,
                                      std::int64_t logits_rows);
};

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
};

class StepPlan {
 public:
  // Throws InvalidInput on a sharding that check_sharding refuses.
  StepPlan(const ModelArchitecture& model, const Sharding& sharding, const GraphOptions& options = {});

  // Projections, experts, norms, element-wise operators, embedding, lm_head, sampling. tokens > 0, those of
  // one GPU (StepShape::rank_tokens); with
  // logits_rows = 0 lm_head and sampling are left out. group_tokens as in StepShape.
  std::span<const OperatorNode> dense_operators(std::int64_t tokens, std::int64_t logits_rows,
                                                std::int64_t group_tokens = 0);
  // Empty on one GPU.
  std::span<const OperatorNode> collective_operators(std::int64_t tokens, std::int64_t logits_rows,
                                                     std::int64_t group_tokens = 0);
  // Attention and what depends on prefill and decode requests apart (MLA's absorbed products, linear
  // attention).
  std::span<const OperatorNode> attention_operators(const StepShape& step);
  // The reach of each operator that attention_operators lists for a step of decoding requests alone.
  std::vector<ContextReach> decode_reaches() const;

  // The same by what they scale with, dense and collective operators together, and attention; copies, for
  // callers that share a plan between threads. Empty when the model has none. rows > 0.
  std::vector<OperatorNode> operators_of(RowSource source, std::int64_t rows) const;
  std::vector<OperatorNode> attention_of(const StepShape& step) const;

  const Sharding& sharding() const { return sharding_; }
  // Layers priced by this plan.
  std::int64_t layers() const { return layers_; }
  // Launches of one step (sum of counts): dense and collective operators, without attention.
  std::int64_t dense_launches() const;

 private:
  std::int64_t group_tokens(std::int64_t tokens, std::int64_t given) const;

  Sharding sharding_;
  std::int64_t layers_ = 0;
  ScaledOperators dense_, collectives_;
  RequestOperators attention_;
};

}  // namespace warploom
