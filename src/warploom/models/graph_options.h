// What decides the kernels of a forward pass beside the model, its sharding and the step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/hardware/node_spec.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// How tokens reach experts when attention is data-parallel. Without it ranks hold the same tokens and one
// all-reduce after the experts serves, with expert parallelism or not (vLLM's default).
// WithExperts: the kernel of the experts exchanges too.
enum class ExpertExchange { AllGatherReduceScatter, DispatchCombine, WithExperts };
template <>
struct EnumNames<ExpertExchange> {
  static constexpr std::array<std::pair<ExpertExchange, std::string_view>, 3> kNames{
      {{ExpertExchange::AllGatherReduceScatter, "allgather_reduce_scatter"},
       {ExpertExchange::DispatchCombine, "dispatch_combine"},
       {ExpertExchange::WithExperts, "with_experts"}}};
};

// Which part of every layer: all, or of a replica that has them apart what its attention ranks or its
// feed-forward ranks launch (afd_plan.h).
enum class LayerSide { Both, Attention, FeedForward };
template <>
struct EnumNames<LayerSide> {
  static constexpr std::array<std::pair<LayerSide, std::string_view>, 3> kNames{
      {{LayerSide::Both, "both"},
       {LayerSide::Attention, "attention"},
       {LayerSide::FeedForward, "feed_forward"}}};
};

struct GraphOptions {
  std::optional<DataType> kv_cache;  // absent: what the checkpoint asks for
  RoutingKind routing = RoutingKind::PowerLaw;
  double routing_alpha = kUsualRoutingAlpha;  // of PowerLaw
  // Nodes that share out the experts, which a balancer places by load (place_experts); 0: they lie in order.
  // Whole groups of a model's experts stay in a node where the nodes divide the groups.
  std::int64_t balanced_nodes = 0;
  ExpertExchange expert_exchange = ExpertExchange::AllGatherReduceScatter;
  // Tokens travel to experts in nvfp4 as those in nvfp4 take them; else in bf16.
  bool nvfp4_dispatch = false;
  // Each rank sends its own tokens to the others, however many it has: the exchange takes as long as the
  // busiest link. Else all ranks' are summed or padded (SGLang).
  bool gathers_by_rank = false;
  MatmulScheme mxfp4_scheme = MatmulScheme::MxFp4A16;  // MxFp4A8 where the GPU multiplies mxfp8 activations
  bool sampling = true;
  // Queries and keys are normalised by the kernel that rotates them, which reads and writes them anyway
  // (TensorRT-LLM's Qwen3Attention, fuse_qk_norm_rope).
  bool fuse_qk_norm_rope = false;
  // The norms of queries and of keys are one kernel (Inductor joins them).
  bool join_qk_norms = false;
  // A kernel of its own chooses the experts of each token, beside the measured time of the experts (vLLM's
  // topkGating before Triton's fused_moe).
  bool choose_experts = false;
  // The inputs of a gated delta net are four products, one for q, k and v, one each for the output gate, the
  // write strengths and the decays; else two (SGLang's Qwen3.5 before 0.5.10).
  bool split_delta_inputs = false;
  // Where attention has an output gate, queries and gates are copied apart, and a sigmoid and a product apply
  // it; else one kernel does (SGLang's Qwen3.5 and Qwen3-Next before 0.5.14).
  bool copy_output_gates = false;
  // All-reduces of at most 2,048 tokens add the residual and normalise (FlashInfer's fusion in SGLang).
  bool fuse_allreduce_norm = false;
  // With static scales attention and the gated activation write fp8 for the product behind them
  // (TensorRT-LLM's Attention and GatedMLP, where has_fp8_qdq), and the fused all-reduce does for the one
  // behind its norm.
  bool fuse_static_quantization = false, fuse_norm_quantization = false;
  // In decoding steps latent keys are normalised on a second stream, beside the queries (SGLang's alt_stream,
  // TensorRT-LLM's maybe_execute_in_parallel).
  bool parallel_latent_norms = false;
  std::int64_t ranks_per_node = 0;  // GPUs of one link domain; 0 = it joins all of the replica
  NodeNetwork network;              // of collectives across nodes; what is absent is the node record's
  // One pipeline stage alone; absent = every stage, one after another, as one batch passes through them.
  std::optional<std::int64_t> pipeline_stage;
  LayerSide side = LayerSide::Both;
  static FieldTable describe();
};

}  // namespace warploom
