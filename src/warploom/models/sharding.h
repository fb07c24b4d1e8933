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
// prefill_context_parallel groups of tensor_parallel GPUs compute 1/size of each prompt's new tokens, gather
// its keys and values, keep 1/size of them, and repeat each decoding token (vLLM's PCP, "partial query, full
// key/value").
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/models/architecture.h"

namespace warploom {

struct Sharding {
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;
  std::int64_t data_parallel = 1;
  std::int64_t expert_parallel = 1;
  std::int64_t attention_data_parallel = 1;
  std::int64_t decode_context_parallel = 1;
  std::int64_t prefill_context_parallel = 1;

  std::int64_t moe_ranks() const { return tensor_parallel * attention_data_parallel; }
  std::int64_t moe_tensor_parallel() const { return moe_ranks() / expert_parallel; }
  // GPUs that hold different tokens of one request.
  std::int64_t context_ranks() const { return decode_context_parallel * prefill_context_parallel; }
  std::int64_t gpus_per_replica() const { return moe_ranks() * pipeline_parallel * prefill_context_parallel; }
  std::int64_t gpus() const { return gpus_per_replica() * data_parallel; }
  bool operator==(const Sharding&) const = default;
  static FieldTable describe();
};

// Throws InvalidInput "<where>: ..." when the model cannot be split that way: heads or widths that do not
// divide, KV heads that neither divide nor replicate evenly, more expert ranks than experts, more stages than
// layers, expert or attention-data parallelism of a dense model, more decode-context ranks than copies of a
// KV head. Throws Unsupported on context parallelism of windowed or linear attention and on prefill-context
// parallelism of a mixture of experts.
void check_sharding(const ModelArchitecture& model, const Sharding& sharding, std::string_view where);

// Layers [first, last) of one pipeline stage.
struct LayerRange {
  std::int64_t first = 0, last = 0;
  std::int64_t count() const { return last - first; }
};
// Even split; left-over layers go one each to the stages before the last, as vLLM does. stage <
// pipeline_parallel.
LayerRange stage_layers(std::int64_t layers, std::int64_t pipeline_parallel, std::int64_t stage);

// Widths held by one GPU.
struct LocalShape {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // at least one: replicated when tensor_parallel exceeds the model's
  std::int64_t intermediate = 0;
  std::int64_t shared_intermediate = 0;
  std::int64_t vocabulary = 0;  // padded to a multiple of 64 before the split, as vLLM does
  std::int64_t latent_heads = 0;
  std::int64_t linear_key_heads = 0, linear_value_heads = 0;
  std::int64_t experts = 0, expert_intermediate = 0;
};
LocalShape local_shape(const ModelArchitecture& model, const Sharding& sharding);

}  // namespace warploom
