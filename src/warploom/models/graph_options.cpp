#include "warploom/models/graph_options.h"

namespace warploom {

FieldTable GraphOptions::describe() {
  return FieldList<GraphOptions>("graph_options")
      .add("kv_cache", &GraphOptions::kv_cache, {.doc = "type of the KV cache; absent = the checkpoint's"})
      .add("routing", &GraphOptions::routing, {.doc = "how tokens spread over experts"})
      .add("routing_alpha", &GraphOptions::routing_alpha,
           {.doc = "exponent of power-law routing", .min = 0, .max = 16})
      .add("expert_exchange", &GraphOptions::expert_exchange,
           {.doc = "how tokens reach experts under data-parallel attention"})
      .add("nvfp4_dispatch", &GraphOptions::nvfp4_dispatch,
           {.doc = "tokens travel to experts in nvfp4 as those in nvfp4 take them"})
      .add("gathers_by_rank", &GraphOptions::gathers_by_rank,
           {.doc = "each rank's tokens travel to the others, however many they are"})
      .add("mxfp4_scheme", &GraphOptions::mxfp4_scheme, {.doc = "activations that meet mxfp4 weights"})
      .add("sampling", &GraphOptions::sampling, {.doc = "count the sampling kernel"})
      .add("fuse_qk_norm_rope", &GraphOptions::fuse_qk_norm_rope,
           {.doc = "norms of queries and keys are part of the rotation"})
      .add("join_qk_norms", &GraphOptions::join_qk_norms, {.doc = "norms of queries and keys are one kernel"})
      .add("choose_experts", &GraphOptions::choose_experts,
           {.doc = "experts are chosen by a kernel of its own"})
      .add("split_delta_inputs", &GraphOptions::split_delta_inputs,
           {.doc = "inputs of a gated delta net are four products"})
      .add("copy_output_gates", &GraphOptions::copy_output_gates,
           {.doc = "queries and output gates are copied apart, and two kernels apply the gate"})
      .add("fuse_allreduce_norm", &GraphOptions::fuse_allreduce_norm,
           {.doc = "norms are part of all-reduces of few tokens"})
      .add("fuse_static_quantization", &GraphOptions::fuse_static_quantization,
           {.doc = "with static scales attention and activations write fp8"})
      .add("fuse_norm_quantization", &GraphOptions::fuse_norm_quantization,
           {.doc = "with static scales fused all-reduces write fp8"})
      .add("parallel_latent_norms", &GraphOptions::parallel_latent_norms,
           {.doc = "latent keys are normalised beside queries when decoding"})
      .add("ranks_per_node", &GraphOptions::ranks_per_node,
           {.doc = "GPUs of one link domain; 0 = it joins all", .min = 0})
      .add("network", &GraphOptions::network, {.doc = "between nodes, where it is not the record's"})
      .add("pipeline_stage", &GraphOptions::pipeline_stage,
           {.doc = "one stage alone; absent = all", .min = 0})
      .add("side", &GraphOptions::side, {.doc = "which part of the layers"})
      .table();
}

}  // namespace warploom
