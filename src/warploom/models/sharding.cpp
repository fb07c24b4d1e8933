#include "warploom/models/sharding.h"

#include <algorithm>

namespace warploom {

LayerRange stage_layers(std::int64_t layers, std::int64_t pipeline_parallel, std::int64_t stage) {
  WARPLOOM_ASSERT(stage >= 0 && stage < pipeline_parallel);
  const std::int64_t each = layers / pipeline_parallel;
  const std::int64_t left_over = layers % pipeline_parallel;
  const std::int64_t first_longer = pipeline_parallel - 1 - left_over;  // the last stage also holds lm_head
  LayerRange range;
  range.first = stage * each + std::max<std::int64_t>(0, std::min(stage - first_longer, left_over));
  range.last = range.first + each + (stage >= first_longer && stage < pipeline_parallel - 1 ? 1 : 0);
  return range;
}

Sharding Sharding::feed_forward_side() const {
  return {.expert_parallel = expert_parallel,
          .attention_data_parallel = feed_forward_ranks,
          .redundant_experts = redundant_experts,
          .gate_on_attention = gate_on_attention};
}

FieldTable Sharding::describe() {
  constexpr double kMost = 65536;
  return FieldList<Sharding>("sharding")
      .add("tensor_parallel", &Sharding::tensor_parallel,
           {.doc = "ranks that split each matrix", .min = 1, .max = kMost})
      .add("pipeline_parallel", &Sharding::pipeline_parallel,
           {.doc = "stages of layers", .min = 1, .max = kMost})
      .add("data_parallel", &Sharding::data_parallel, {.doc = "independent replicas", .min = 1, .max = kMost})
      .add("expert_parallel", &Sharding::expert_parallel,
           {.doc = "ranks that split the experts", .min = 1, .max = kMost})
      .add("attention_data_parallel", &Sharding::attention_data_parallel,
           {.doc = "groups with their own requests that share the experts", .min = 1, .max = kMost})
      .add("decode_context_parallel", &Sharding::decode_context_parallel,
           {.doc = "ranks that share out the cached tokens of a request", .min = 1, .max = kMost})
      .add("prefill_context_parallel", &Sharding::prefill_context_parallel,
           {.doc = "groups that share out the new tokens of a prompt", .min = 1, .max = kMost})
      .add("redundant_experts", &Sharding::redundant_experts,
           {.doc = "replicas beyond one of each expert", .min = 0, .max = kMost})
      .add("feed_forward_ranks", &Sharding::feed_forward_ranks,
           {.doc = "GPUs that hold the experts apart from attention, 0 for none", .min = 0, .max = kMost})
      .add("gate_on_attention", &Sharding::gate_on_attention,
           {.doc = "attention ranks choose experts, and compute dense layers"})
      .table();
}

}  // namespace warploom
