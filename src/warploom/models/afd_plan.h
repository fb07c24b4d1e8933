// A replica whose attention and feed-forward are on GPUs of their own (attention-FFN disaggregation, AFD).
//
// A step's tokens are dealt out to a few micro-batches. In each layer a micro-batch passes attention, the way
// to the feed-forward ranks (A2F), their experts, and the way back (F2A), while others are elsewhere.
// - Gate apart: attention ranks send hidden states to the feed-forward rank that each of them is mapped to,
//   in even blocks of consecutive ranks; that one chooses experts, and the feed-forward ranks exchange tokens
//   as any expert-parallel group does; dense layers lie there too. So does vLLM's afd-plugin
//   (P2pNcclAFDConnector, compute_gate_on_attention false; docs/design/module/model_integration.md).
// - Gate on attention: attention ranks choose the experts and send each token to the ranks that hold them,
//   which exchange nothing among themselves; dense layers stay with attention. So do MegaScale-Infer (M2N),
//   and the CAM connectors of the plugin.
// Shared experts are at the feed-forward ranks in both.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "warploom/models/step_plan.h"

namespace warploom {

// Sizes of one micro-batch.
struct AfdSizes {
  std::int64_t micro_batches = 1;
  std::int64_t tokens = 1;               // of one attention rank
  std::int64_t group_tokens = 1;         // of all attention groups
  std::int64_t feed_forward_tokens = 1;  // of the feed-forward rank that gets most
  std::int64_t sent_tokens = 1;          // that the busiest end of a transfer sends or receives
};
// Those of a step in which the widest attention group has `tokens` and all of them `group_tokens`. No more
// micro-batches than tokens. All above 0; `sharding` is apart.
AfdSizes afd_sizes(const Sharding& sharding, std::int64_t tokens, std::int64_t group_tokens,
                   std::int64_t micro_batches);

// An even part of `step`: requests dealt out, and a piece of each chunk that reaches as far back as its
// pieces do in the mean. One token of each group at least.
StepShape micro_batch_of(const StepShape& step, std::int64_t micro_batches);

// The plans of both sides, and what travels between them. Calls and threads as StepPlan has them.
class AfdPlan {
 public:
  // Throws InvalidInput on a model without experts, a sharding that is not apart or that check_sharding
  // refuses; Unsupported on pipeline stages and context parallelism.
  AfdPlan(const ModelArchitecture& model, const Sharding& sharding, const GraphOptions& options);

  const StepPlan& attention() const { return attention_; }
  const StepPlan& feed_forward() const { return feed_forward_; }
  // One way, in all layers.
  std::span<const OperatorNode> to_experts(std::int64_t sent_tokens);
  std::span<const OperatorNode> from_experts(std::int64_t sent_tokens);
  std::int64_t layers() const { return layers_; }  // that have a part apart
  const Sharding& sharding() const { return sharding_; }

 private:
  Sharding sharding_;
  StepPlan attention_, feed_forward_;
  ScaledOperators to_, from_;
  std::int64_t layers_ = 0;
};

// Throws as AfdPlan does, naming `num_ffn_ranks`.
void check_apart(const ModelArchitecture& model, const Sharding& sharding);

}  // namespace warploom
