// A kernel of a forward pass and how often it is launched.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/kernels/operator.h"

namespace warploom {

// What an operator's size follows from in a step: the tokens of one GPU, those of all ranks that share
// experts, the rows that enter lm_head, or each request.
enum class RowSource { Tokens, GroupTokens, LogitsRows, Requests };
// Where an engine launches it: in the step's order, or beside the routed experts.
enum class Stream { Main, BesideExperts };

// `count` equal launches. The label names the role in the model and points to static text:
//   embedding, rmsnorm, qkv_proj, q_norm, k_norm, v_norm, qk_norm, rope, value_scale, kv_write,
//   attention_prefill, attention_decode, o_proj, gate_up_proj (up_proj when not gated), silu_and_mul
//   (activation when not gated), down_proj, router, expert_choice, moe, shared_gate_up_proj,
//   shared_silu_and_mul, shared_down_proj, shared_gate, shared_add, experts_add, lm_head, sampling, quantize,
//   MLA: qkv_a_proj, q_b_proj, q_proj, kv_b_proj, q_absorb, v_absorb, mla_prefill, mla_decode; linear
//   attention: linear_in_proj, linear_gates_proj, linear_convolution, linear_scan, linear_state_update,
//   gated_norm, linear_gates_up_proj, mamba_in_proj; gates: gate_proj, head_gate_proj, output_gate; whole
//   blocks: sparse_attention, sparse_attention_reuse, compressed_attention, block_sparse_attention,
//   ngram_lookup; experts in a latent: latent_down_proj, latent_norm, latent_up_proj; residuals:
//   residual_sum, hyper_expand, hyper_pre, hyper_connection, hyper_post, hyper_contract; collectives:
//   allreduce, embedding_allreduce, logits_allgather, qk_norm_allreduce, moe_allgather, moe_reduce_scatter,
//   moe_dispatch, moe_combine, pipeline_send, pipeline_allgather; context parallelism: cp_query_allgather,
//   cp_lse_allgather, cp_output_reduce_scatter, cp_output_allreduce, cp_kv_allgather; to experts apart and
//   back (afd_plan.h): a2f_send, f2a_send, a2f_dispatch, f2a_combine.
struct OperatorNode {
  Operator op;
  std::int64_t count = 1;
  std::string_view label;
  RowSource source = RowSource::Tokens;
  Stream stream = Stream::Main;
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

}  // namespace warploom
