// How a model is spread over GPUs.
//
// One replica has tensor_parallel x attention_data_parallel x pipeline_parallel GPUs. Attention, dense MLPs
// and shared experts are split over tensor_parallel ranks; each of the attention_data_parallel groups has its
// own requests. Routed experts are spread over all tensor_parallel x attention_data_parallel ranks of a
// stage: expert_parallel ways by whole experts, the rest by width. data_parallel counts further replicas that
// share nothing.
//   vLLM     -tp T -dp D, MoE model: tensor_parallel T, attention_data_parallel D, expert_parallel T*D with
//   EP, else 1 vLLM     -tp T -dp D, dense model: tensor_parallel T, data_parallel D SGLang   --tp N --dp D
//   --enable-dp-attention: tensor_parallel N/D, attention_data_parallel D
//
// Context parallelism splits a request's tokens. decode_context_parallel ranks among the tensor_parallel
// ones, which would hold the same KV heads, keep 1/size of them each (vLLM's DCP; no further GPUs).
// prefill_context_parallel groups of tensor_parallel GPUs compute 1/size of each prompt's new tokens and of
// the decoding requests, and each gathers and keeps the keys and values of all (vLLM's PCP: v1/worker/gpu/
// pcp_manager.py of 0.33, pcp_shard_decode_requests). Routed experts are spread over these groups too, which
// exchange tokens as attention_data_parallel groups do.
//
// Attention and feed-forward apart (AFD): the GPUs above hold attention, and feed_forward_ranks others hold
// the experts, each whole ranks of their own (MegaScale-Infer, arXiv 2504.02263; Step-3, arXiv 2507.19427;
// vLLM's afd-plugin). Routed experts are then spread over those alone.
#pragma once

#include <cstdint>

#include "warploom/base/fields.h"

namespace warploom {

struct Sharding {
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;
  std::int64_t data_parallel = 1;
  std::int64_t expert_parallel = 1;
  std::int64_t attention_data_parallel = 1;
  std::int64_t decode_context_parallel = 1;
  std::int64_t prefill_context_parallel = 1;
  std::int64_t redundant_experts = 0;   // replicas beyond one of each expert, over all expert-parallel ranks
  std::int64_t feed_forward_ranks = 0;  // GPUs that hold the experts apart; 0: those of attention do
  bool gate_on_attention = false;       // of those apart: where tokens choose their experts, see afd_plan.h

  bool apart() const { return feed_forward_ranks > 0; }
  std::int64_t attention_ranks() const { return tensor_parallel * attention_data_parallel; }
  // Groups with tokens of their own that share the experts.
  std::int64_t expert_groups() const { return attention_data_parallel * prefill_context_parallel; }
  std::int64_t moe_ranks() const { return apart() ? feed_forward_ranks : tensor_parallel * expert_groups(); }
  std::int64_t moe_tensor_parallel() const { return moe_ranks() / expert_parallel; }
  bool splits_context() const { return decode_context_parallel > 1 || prefill_context_parallel > 1; }
  std::int64_t gpus_per_replica() const {
    return attention_ranks() * pipeline_parallel * prefill_context_parallel + feed_forward_ranks;
  }
  std::int64_t gpus() const { return gpus_per_replica() * data_parallel; }
  // How the experts lie among the feed-forward ranks, which share nothing else; of those apart.
  Sharding feed_forward_side() const;
  bool operator==(const Sharding&) const = default;
  static FieldTable describe();
};

// Layers [first, last) of one pipeline stage.
struct LayerRange {
  std::int64_t first = 0, last = 0;
  std::int64_t count() const { return last - first; }
};
// Even split; left-over layers go one each to the stages before the last, as vLLM does. stage <
// pipeline_parallel.
LayerRange stage_layers(std::int64_t layers, std::int64_t pipeline_parallel, std::int64_t stage);

}  // namespace warploom
