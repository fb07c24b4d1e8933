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

#include "warploom/models/architecture.h"
#include "warploom/models/graph_options.h"
#include "warploom/models/operator_node.h"
#include "warploom/models/request_operators.h"
#include "warploom/models/scaled_operators.h"
#include "warploom/models/sharding.h"
#include "warploom/models/step_shape.h"

namespace warploom {

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
  // See GraphOptions; false where experts are reached otherwise.
  bool gathers_by_rank() const { return gathers_by_rank_; }
  // Layers priced by this plan.
  std::int64_t layers() const { return layers_; }
  // Launches of one step (sum of counts): dense and collective operators, without attention.
  std::int64_t dense_launches() const;

 private:
  std::int64_t group_tokens(std::int64_t tokens, std::int64_t given) const;

  Sharding sharding_;
  bool gathers_by_rank_ = false;
  std::int64_t layers_ = 0;
  ScaledOperators dense_, collectives_;
  RequestOperators attention_;
};

}  // namespace warploom
