// What a kernel call computes: a closed set of operator structs. Sizes are per GPU (after sharding) unless a
// comment says otherwise, and count elements, tokens, heads or ranks. An Operator says nothing of how it is
// implemented; KernelContext (latency_model.h) names the implementation when it is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/kernels/data_type.h"

namespace warploom {

// Where an operator's weights (or its inputs, when it has no weights) are when it starts. In serving they are
// cold: other layers evict them. Repeated-launch benchmarks keep what fits in L2 warm.
enum class Residency { Cold, Warm };
template <>
struct EnumNames<Residency> {
  static constexpr std::array<std::pair<Residency, std::string_view>, 2> kNames{
      {{Residency::Cold, "cold"}, {Residency::Warm, "warm"}}};
};

// C[m,n] = A[m,k] B[k,n], `batch` independent products. Output bf16 (fp32 for Fp32 and Tf32).
struct Gemm {
  MatmulScheme scheme = MatmulScheme::Bf16;
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t batch = 1;
  Residency residency = Residency::Cold;
  double weight_copies = 1;  // distinct weights a benchmark rotates through; matters only when Warm
  static FieldTable describe();
};

// `count` requests that are alike: each has `query_tokens` new tokens after `context_tokens` cached ones.
struct RequestGroup {
  std::int64_t count = 1;
  std::int64_t query_tokens = 1;
  std::int64_t context_tokens = 0;
  std::int64_t kv_tokens() const { return context_tokens + query_tokens; }
  static FieldTable describe();
};

// Softmax attention with grouped KV heads; prefill when queries are chunks of tokens.
// causal: query i of a request sees its context and queries up to i. window 0 = full, else the last
// `window` tokens. Time of the attention kernel alone: no projections, no rotary, no cache write.
struct AttentionPrefill {
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t window = 0;
  bool causal = true;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// One new token per request (query_tokens = 1 in each group; more for speculative verification).
// A group's context_tokens are the tokens already in its cache; the new token is attended too.
struct AttentionDecode {
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t window = 0;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// Dimensions of multi-head latent attention; defaults are DeepSeek-V3's.
struct MlaShape {
  std::int64_t heads = 128;
  std::int64_t kv_lora_rank = 512;
  std::int64_t rope_head_dim = 64;
  std::int64_t nope_head_dim = 128;
  std::int64_t value_head_dim = 128;
  static FieldTable describe();
};

// MLA prefill kernel on expanded keys (nope+rope) and values.
struct MlaPrefill {
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  MlaShape shape;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// MLA decode kernel in absorbed form: every head attends to the latent of kv_lora_rank + rope.
struct MlaDecode {
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  MlaShape shape;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// A whole MLA attention module (projections and attention), as some engines measure it.
struct MlaModule {
  MatmulScheme projections = MatmulScheme::Bf16;
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  bool decode = false;
  std::int64_t hidden = 7168;
  std::int64_t q_lora_rank = 1536;
  MlaShape shape;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

// How tokens choose experts: all experts alike as nearly as whole pairs allow, a few with most of the pairs,
// or each token at random (as gates of random weights do, and benchmarks that draw their logits).
enum class RoutingKind { Balanced, PowerLaw, Uniform };
template <>
struct EnumNames<RoutingKind> {
  static constexpr std::array<std::pair<RoutingKind, std::string_view>, 3> kNames{
      {{RoutingKind::Balanced, "balanced"},
       {RoutingKind::PowerLaw, "power_law"},
       {RoutingKind::Uniform, "uniform"}}};
};
// Which of the two grouped GEMMs a measurement covers.
enum class MoePass { Both, GateUp, Down };
template <>
struct EnumNames<MoePass> {
  static constexpr std::array<std::pair<MoePass, std::string_view>, 3> kNames{
      {{MoePass::Both, "both"}, {MoePass::GateUp, "gate_up"}, {MoePass::Down, "down"}}};
};

// Fused mixture of experts of one GPU: routing, both grouped GEMMs, activation, weighted sum; no
// communication. tokens, experts, intermediate are those of the whole group and the whole model: this GPU
// holds experts / expert_parallel experts of width intermediate / tensor_parallel. Unless routing is balanced
// this is the busiest rank.
struct FusedMoe {
  MatmulScheme scheme = MatmulScheme::Bf16;
  std::int64_t tokens = 1;
  std::int64_t hidden = 4096, intermediate = 14336;
  std::int64_t experts = 8, top_k = 2;
  std::int64_t tensor_parallel = 1, expert_parallel = 1;
  RoutingKind routing = RoutingKind::Balanced;
  double routing_alpha = 0.0;  // exponent of PowerLaw
  bool gated = true;           // gate and up projections (SwiGLU kinds)
  MoePass pass = MoePass::Both;
  static FieldTable describe();
};

// Row-wise normalisation of [tokens, width]; residual = the fused residual add (reads and writes one more
// tensor).
struct RmsNorm {
  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, width = 4096;
  bool residual = false;
  bool layer_norm = false;  // LayerNorm: also subtracts the mean
  static FieldTable describe();
};

// Element-wise activation. gated (SiLU-and-mul): reads [tokens, 2*width], writes [tokens, width].
struct Activation {
  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, width = 14336;  // width of the OUTPUT
  bool gated = true;
  static FieldTable describe();
};

enum class ElementwiseKind { Add, Multiply, Divide, Power, Relu, Gelu, Tanh, Softmax };
template <>
struct EnumNames<ElementwiseKind> {
  static constexpr std::array<std::pair<ElementwiseKind, std::string_view>, 8> kNames{
      {{ElementwiseKind::Add, "add"},
       {ElementwiseKind::Multiply, "mul"},
       {ElementwiseKind::Divide, "div"},
       {ElementwiseKind::Power, "pow"},
       {ElementwiseKind::Relu, "relu"},
       {ElementwiseKind::Gelu, "gelu"},
       {ElementwiseKind::Tanh, "tanh"},
       {ElementwiseKind::Softmax, "softmax"}}};
};
// A generic element-wise (or row softmax) operator on [rows, width] with `inputs` input tensors (1 with a
// scalar).
struct Elementwise {
  ElementwiseKind kind = ElementwiseKind::Add;
  DataType type = DataType::Bf16;
  std::int64_t rows = 1, width = 4096;
  std::int64_t inputs = 2;
  static FieldTable describe();
};

// Rotary embedding in place on queries and keys.
struct Rope {
  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, heads = 32, kv_heads = 8, head_dim = 128;
  static FieldTable describe();
};

// Writing new keys and values into the paged cache.
struct KvWrite {
  DataType type = DataType::Bf16;      // of the incoming keys and values
  DataType kv_cache = DataType::Bf16;  // of the cache
  std::int64_t tokens = 1, kv_heads = 8, head_dim = 128;
  static FieldTable describe();
};

// Quantising a bf16 matrix [rows, width] to `target`. dynamic: scales are computed from the data first.
struct Quantize {
  DataType target = DataType::Fp8;
  std::int64_t rows = 1, width = 4096;
  bool dynamic = true;
  static FieldTable describe();
};

// Gathering `tokens` rows of a [vocabulary, hidden] table.
struct Embedding {
  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, hidden = 4096, vocabulary = 128256;
  static FieldTable describe();
};

// Choosing the next token from fp32 logits [sequences, vocabulary].
struct Sampling {
  std::int64_t sequences = 1, vocabulary = 128256;
  static FieldTable describe();
};

// Linear-attention and state-space kernels. `kernel` distinguishes the several kernels of one layer.
enum class LinearAttentionKind { GatedDeltaNet, KimiDelta, Mamba2 };
template <>
struct EnumNames<LinearAttentionKind> {
  static constexpr std::array<std::pair<LinearAttentionKind, std::string_view>, 3> kNames{
      {{LinearAttentionKind::GatedDeltaNet, "gdn"},
       {LinearAttentionKind::KimiDelta, "kda"},
       {LinearAttentionKind::Mamba2, "mamba2"}}};
};
enum class LinearAttentionStage { Convolution, Scan, StateUpdate };
template <>
struct EnumNames<LinearAttentionStage> {
  static constexpr std::array<std::pair<LinearAttentionStage, std::string_view>, 3> kNames{
      {{LinearAttentionStage::Convolution, "convolution"},
       {LinearAttentionStage::Scan, "scan"},
       {LinearAttentionStage::StateUpdate, "state_update"}}};
};
struct LinearAttention {
  LinearAttentionKind kind = LinearAttentionKind::GatedDeltaNet;
  LinearAttentionStage stage = LinearAttentionStage::Scan;
  std::int64_t sequences = 1, tokens_per_sequence = 1;
  std::int64_t key_heads = 16, key_dim = 128, value_heads = 32, value_dim = 128;
  std::int64_t convolution_width = 4;
  std::int64_t state_size = 128;  // Mamba-2 state per head
  static FieldTable describe();
};

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter, AllToAll, SendRecv, Dispatch, Combine };
template <>
struct EnumNames<CollectiveKind> {
  static constexpr std::array<std::pair<CollectiveKind, std::string_view>, 7> kNames{
      {{CollectiveKind::AllReduce, "allreduce"},
       {CollectiveKind::AllGather, "allgather"},
       {CollectiveKind::ReduceScatter, "reduce_scatter"},
       {CollectiveKind::AllToAll, "alltoall"},
       {CollectiveKind::SendRecv, "send_recv"},
       {CollectiveKind::Dispatch, "moe_dispatch"},
       {CollectiveKind::Combine, "moe_combine"}}};
};
// Communication between `ranks` GPUs. `size` is the buffer: per-rank input of all-reduce, all-to-all and
// send/recv; the full (gathered) buffer of all-gather and reduce-scatter, as nccl-tests prints it; the tokens
// of one rank times hidden times element size times top_k of dispatch and combine.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Bytes size{0};
  std::int64_t ranks = 2;
  std::int64_t ranks_per_node = 0;  // that share a link domain; 0: as many as the GPU's node or rack joins
  // For dispatch and combine; 0: unknown. A token travels once to each GPU that holds some of its experts, so
  // the same buffer of fewer experts a token is more traffic.
  std::int64_t top_k = 0;
  Bytes token_bytes{0};  // hidden times element size
  // The network between nodes, as NodeNetwork (hardware/node_spec.h) has it; absent: the node's record.
  std::optional<BytesPerSecond> nic_rate = std::nullopt;
  std::optional<std::int64_t> nics_per_node = std::nullopt;
  std::optional<double> oversubscription = std::nullopt;
  static FieldTable describe();
};

using Operator = std::variant<Gemm, AttentionPrefill, AttentionDecode, MlaPrefill, MlaDecode, MlaModule,
                              FusedMoe, RmsNorm, Activation, Elementwise, Rope, KvWrite, Quantize, Embedding,
                              Sampling, LinearAttention, Collective>;

// Kinds of operator, the unit of training and of reports. Collectives are one family per kind.
enum class Family {
  Gemm,
  AttentionPrefill,
  AttentionDecode,
  MlaPrefill,
  MlaDecode,
  MlaModule,
  Moe,
  RmsNorm,
  Activation,
  Elementwise,
  Rope,
  KvWrite,
  Quantize,
  Embedding,
  Sampling,
  LinearAttention,
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  SendRecv,
  MoeDispatch,
  MoeCombine
};
template <>
struct EnumNames<Family> {
  static constexpr std::array<std::pair<Family, std::string_view>, 23> kNames{
      {{Family::Gemm, "gemm"},
       {Family::AttentionPrefill, "attention_prefill"},
       {Family::AttentionDecode, "attention_decode"},
       {Family::MlaPrefill, "mla_prefill"},
       {Family::MlaDecode, "mla_decode"},
       {Family::MlaModule, "mla_module"},
       {Family::Moe, "moe"},
       {Family::RmsNorm, "rmsnorm"},
       {Family::Activation, "activation"},
       {Family::Elementwise, "elementwise"},
       {Family::Rope, "rope"},
       {Family::KvWrite, "kv_write"},
       {Family::Quantize, "quantize"},
       {Family::Embedding, "embedding"},
       {Family::Sampling, "sampling"},
       {Family::LinearAttention, "linear_attention"},
       {Family::AllReduce, "allreduce"},
       {Family::AllGather, "allgather"},
       {Family::ReduceScatter, "reduce_scatter"},
       {Family::AllToAll, "alltoall"},
       {Family::SendRecv, "send_recv"},
       {Family::MoeDispatch, "moe_dispatch"},
       {Family::MoeCombine, "moe_combine"}}};
};

Family family_of(const Operator& op);

// Throws InvalidInput when sizes are not positive, heads do not divide, and the like. `where` names the
// source.
void check_operator(const Operator& op, std::string_view where);

// A hash of everything but the residency: equal shapes hash equal. Drives the splits into training and test.
std::uint64_t shape_hash(const Operator& op);

}  // namespace warploom
