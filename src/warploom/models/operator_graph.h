// The kernels of one forward pass on one GPU.
//
// The operators are those an engine launches with a CUDA graph, after vLLM: fused qkv and gate_up
// projections, residual additions inside the norms, vocabulary-parallel embedding and lm_head. A linear layer
// whose scheme quantises its activations inside the call (quantises_activations) has no Quantize operator of
// its own; static fp8 has one per projection.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "warploom/kernels/operator.h"
#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"
#include "warploom/models/step_shape.h"

namespace warploom {

// `count` equal launches. The label names the role in the model and points to static text:
//   embedding, rmsnorm, qkv_proj, q_norm, k_norm, rope, kv_write, attention_prefill, attention_decode,
//   o_proj, gate_up_proj (up_proj when not gated), silu_and_mul (activation when not gated), down_proj,
//   router, moe, shared_gate_up_proj, shared_silu_and_mul, shared_down_proj, shared_gate, shared_add,
//   lm_head, sampling, quantize, MLA: qkv_a_proj, q_b_proj, q_proj, kv_b_proj, q_absorb, v_absorb,
//   mla_prefill, mla_decode; linear attention: linear_in_proj, linear_gates_proj, linear_convolution,
//   linear_scan, linear_state_update, gated_norm; collectives: allreduce, embedding_allreduce,
//   logits_allgather, qk_norm_allreduce, moe_allgather, moe_reduce_scatter, moe_dispatch, moe_combine,
//   pipeline_send, pipeline_allgather; context parallelism: cp_query_allgather, cp_lse_allgather,
//   cp_output_reduce_scatter, cp_output_allreduce, cp_kv_allgather.
struct OperatorNode {
  Operator op;
  std::int64_t count = 1;
  std::string_view label;
};
using OperatorGraph = std::vector<OperatorNode>;

// Kernels of shared experts on so few tokens that engines run them on a second stream, beside the routed
// experts (vLLM: VLLM_SHARED_EXPERTS_STREAM_TOKEN_THRESHOLD; TensorRT-LLM does the same, SGLang makes the
// shared expert one more routed one).
bool runs_beside_experts(const OperatorNode& node);
// What that hides of a step whose such kernels take `shared` and whose routed experts take `routed`.
template <class Time>
Time hidden_beside_experts(Time shared, Time routed) {
  return shared < routed ? shared : routed;
}

// How tokens reach experts when attention is data-parallel. Without it ranks hold the same tokens and one
// all-reduce after the experts serves, with expert parallelism or not (vLLM's default).
enum class ExpertExchange { AllGatherReduceScatter, DispatchCombine };
template <>
struct EnumNames<ExpertExchange> {
  static constexpr std::array<std::pair<ExpertExchange, std::string_view>, 2> kNames{
      {{ExpertExchange::AllGatherReduceScatter, "allgather_reduce_scatter"},
       {ExpertExchange::DispatchCombine, "dispatch_combine"}}};
};

struct GraphOptions {
  std::optional<DataType> kv_cache;  // absent: what the checkpoint asks for
  RoutingKind routing = RoutingKind::PowerLaw;
  double routing_alpha = 1.2;  // skew of expert load; a choice without a public source
  ExpertExchange expert_exchange = ExpertExchange::AllGatherReduceScatter;
  MatmulScheme mxfp4_scheme = MatmulScheme::MxFp4A16;  // MxFp4A8 where the GPU multiplies mxfp8 activations
  bool sampling = true;
  // Queries and keys are normalised by the kernel that rotates them, which reads and writes them anyway
  // (TensorRT-LLM's Qwen3Attention, fuse_qk_norm_rope).
  bool fuse_qk_norm_rope = false;
  // All-reduces of at most 2,048 tokens add the residual and normalise (FlashInfer's fusion in SGLang).
  bool fuse_allreduce_norm = false;
  // In decoding steps latent keys are normalised on a second stream, beside the queries (SGLang's alt_stream,
  // TensorRT-LLM's maybe_execute_in_parallel).
  bool parallel_latent_norms = false;
  std::int64_t ranks_per_node = 0;  // of collectives; 0 = all in one link domain
  // One pipeline stage alone; absent = every stage, one after another, as one batch passes through them.
  std::optional<std::int64_t> pipeline_stage;
  static FieldTable describe();
};

// The whole graph of one step. Throws InvalidInput on a sharding that check_sharding refuses or a step
// without tokens. For many steps of one model keep a StepPlan (step_plan.h).
OperatorGraph build_operator_graph(const ModelArchitecture& model, const Sharding& sharding,
                                   const StepShape& step, const GraphOptions& options = {});

}  // namespace warploom
