#include "warploom/kernels/work.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

// Arithmetic besides the products of one attended (query, key) pair: scale, maximum, subtract, sum, rescale.
constexpr double kSoftmaxFlopPerPair = 6;
constexpr double kChunkOfLinearAttention = 64;  // tokens that a chunked scan treats as one product
constexpr double kOutputBytes = 2;              // activations leave in 16 bit

// Learned routers favour experts: public runs hit as few as two thirds of what even random choice would.
constexpr double kRouterSkew = 0.65;

double output_bytes_per_element(MatmulScheme scheme) {
  return scheme == MatmulScheme::Fp32 || scheme == MatmulScheme::Tf32 ? 4.0 : kOutputBytes;
}

// Two deviations below the mean of even random choice, and a learned router's favourites.
double least_experts_hit(const FusedMoe& op, const RoutingLoad& load) {
  const double held = std::max(1.0, std::floor(double(op.experts) / double(op.expert_parallel)));
  const double deviation = std::sqrt(load.random_hit * std::max(0.0, 1 - load.random_hit / held));
  return kRouterSkew * std::max(0.0, load.random_hit - 2 * deviation);
}

// Element-wise and row-wise kernels: `reads` and `writes` in elements, arithmetic per element written.
Work streaming_work(double reads, double writes, DataType type, double fma, double special) {
  Work work;
  work.input_bytes = Bytes(reads * bytes_per_element(type));
  work.output_bytes = Bytes(writes * bytes_per_element(type));
  work.fma_flop = Flop(fma * writes);
  work.special_ops = special;
  return work;
}

Work struct_work(const RmsNorm& op) {
  const double elements = double(op.tokens) * double(op.width);
  const double streams = op.residual ? 2 : 1;
  Work work = streaming_work(streams * elements, streams * elements, op.type, 4, double(op.tokens));
  work.weight_bytes = Bytes(double(op.width) * bytes_per_element(op.type) * (op.layer_norm ? 2 : 1));
  return work;
}

Work struct_work(const Activation& op) {
  const double elements = double(op.tokens) * double(op.width);
  return streaming_work(elements * (op.gated ? 2 : 1), elements, op.type, 6, 2 * elements);
}

Work struct_work(const Elementwise& op) {
  const double elements = double(op.rows) * double(op.width);
  const bool special = op.kind == ElementwiseKind::Softmax || op.kind == ElementwiseKind::Gelu ||
                       op.kind == ElementwiseKind::Tanh || op.kind == ElementwiseKind::Power ||
                       op.kind == ElementwiseKind::Divide;
  return streaming_work(elements * double(op.inputs), elements, op.type,
                        op.kind == ElementwiseKind::Softmax ? 4 : 2, special ? elements : 0.0);
}

Work struct_work(const Rope& op) {
  const double elements = double(op.tokens) * double(op.heads + op.kv_heads) * double(op.head_dim);
  Work work = streaming_work(elements, elements, op.type, 3, 0);
  work.weight_bytes = Bytes(double(op.tokens) * double(op.head_dim) * bytes_per_element(op.type));
  return work;
}

Work struct_work(const KvWrite& op) {
  const double elements = 2.0 * double(op.tokens) * double(op.kv_heads) * double(op.head_dim);
  Work work = streaming_work(elements, elements, op.type, 1, 0);
  work.output_bytes = Bytes(elements * bytes_per_element(op.kv_cache));
  return work;
}

Work struct_work(const Quantize& op) {
  const double elements = double(op.rows) * double(op.width);
  Work work = streaming_work(elements, elements, DataType::Bf16, op.dynamic ? 4 : 2, 0);
  work.output_bytes = Bytes(elements * bytes_per_element(op.target));
  return work;
}

Work struct_work(const Embedding& op) {
  const double rows = double(op.tokens);
  Work work = streaming_work(0, rows * double(op.hidden), op.type, 0, 0);
  work.weight_bytes =
      Bytes(std::min(rows, double(op.vocabulary)) * double(op.hidden) * bytes_per_element(op.type));
  work.input_bytes = Bytes(8 * rows);
  return work;
}

Work struct_work(const Sampling& op) {
  const double logits = double(op.sequences) * double(op.vocabulary);
  Work work = streaming_work(logits, 0, DataType::Fp32, 0, logits);
  work.fma_flop = Flop(4 * logits);
  work.output_bytes = Bytes(8 * double(op.sequences));
  work.launches = 2;
  return work;
}

double state_elements(const LinearAttention& op) {
  const double width = op.kind == LinearAttentionKind::Mamba2 ? double(op.state_size) : double(op.key_dim);
  return double(op.sequences) * double(op.value_heads) * double(op.value_dim) * width;
}

Work struct_work(const LinearAttention& op) {
  const double tokens = double(op.sequences) * double(op.tokens_per_sequence);
  const double keys = double(op.key_heads) * double(op.key_dim);
  const double values = double(op.value_heads) * double(op.value_dim);
  const double channels = 2 * keys + values;
  if (op.stage == LinearAttentionStage::Convolution) {
    Work work = streaming_work(tokens * channels, tokens * channels, DataType::Bf16,
                               2 * double(op.convolution_width) + 4, tokens * channels);
    work.weight_bytes = Bytes(channels * double(op.convolution_width) * 2);
    return work;
  }
  Work work = streaming_work(tokens * channels, tokens * values, DataType::Bf16, 4, tokens * values);
  const double state = state_elements(op);
  work.cache_bytes = Bytes(2 * state);
  work.output_bytes += Bytes(2 * state);
  // Per token and value head: update and query of the state (2 products each 2 d_k d_v FLOP).
  const double recurrent = 4 * tokens * state / double(op.sequences);
  if (op.stage == LinearAttentionStage::StateUpdate) {
    work.fma_flop = Flop(recurrent);
    return work;
  }
  const double chunk = std::min(kChunkOfLinearAttention, double(op.tokens_per_sequence));
  const double width = op.kind == LinearAttentionKind::Mamba2 ? double(op.state_size) : double(op.key_dim);
  work.matrix_flop =
      Flop(recurrent + 2 * chunk * tokens * double(op.value_heads) * (width + double(op.value_dim)));
  return work;
}

Work struct_work(const Collective& op) {
  const double size = op.size.value(), ranks = double(op.ranks);
  const double others = (ranks - 1) / ranks;
  double moved = size * others;
  if (op.kind == CollectiveKind::AllReduce) moved = 2 * size * others;
  if (op.kind == CollectiveKind::SendRecv) moved = size;
  const bool full_buffer = op.kind == CollectiveKind::AllGather || op.kind == CollectiveKind::ReduceScatter;
  Work work;
  work.network_bytes = Bytes(moved);
  work.input_bytes = Bytes(op.kind == CollectiveKind::AllGather ? size / ranks : size);
  work.output_bytes = Bytes(op.kind == CollectiveKind::ReduceScatter ? size / ranks : size);
  if (full_buffer || op.kind == CollectiveKind::AllReduce) work.fma_flop = Flop(size * others / 2);
  return work;
}

Work struct_work(const Gemm& op) { return gemm_work(op); }
Work struct_work(const FusedMoe&) { return {}; }

Work struct_work(const MlaModule& op) {
  Work work = attention_work(view_of(op));
  const MlaProjections projections = mla_projections(op);
  for (std::size_t i = 0; i < projections.size; ++i) work += gemm_work(projections.products[i]);
  // Two norms, rotary embedding and cache write; their bytes pass within the module.
  work.launches += 4;
  return work;
}

template <class Op>
Work struct_work(const Op& op) {
  return attention_work(view_of(op));
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  matrix_flop += other.matrix_flop;
  fma_flop += other.fma_flop;
  special_ops += other.special_ops;
  weight_bytes += other.weight_bytes;
  least_weight_bytes += other.least_weight_bytes;
  cache_bytes += other.cache_bytes;
  input_bytes += other.input_bytes;
  output_bytes += other.output_bytes;
  scratch_bytes += other.scratch_bytes;
  network_bytes += other.network_bytes;
  launches += other.launches;
  return *this;
}

Work gemm_work(const Gemm& op) {
  const double m = double(op.m), n = double(op.n), k = double(op.k), batch = double(op.batch);
  Work work;
  work.matrix_flop = Flop(2 * m * n * k * batch);
  work.weight_bytes = Bytes(n * k * batch * bytes_per_element(weight_type(op.scheme)));
  const double narrow = m * k * batch * bytes_per_element(activation_type(op.scheme));
  work.input_bytes = Bytes(narrow);
  if (quantises_activations(op.scheme)) {
    work.input_bytes = Bytes(m * k * batch * kOutputBytes);
    work.scratch_bytes = Bytes(narrow);
    work.launches = 2;
  }
  work.output_bytes = Bytes(m * n * batch * output_bytes_per_element(op.scheme));
  return work;
}

Work attention_work(const AttentionView& view) {
  const AttentionTotals totals = attention_totals(view);
  const double heads = double(view.heads());
  Work work;
  work.matrix_flop = Flop(2 * totals.pairs * heads * double(view.key_dim + view.value_dim));
  work.special_ops = totals.pairs * heads;
  work.fma_flop = Flop(kSoftmaxFlopPerPair * totals.pairs * heads);
  work.cache_bytes = Bytes(totals.keys * view.cache_width() * bytes_per_element(view.kv_cache));
  work.input_bytes = Bytes(totals.queries * heads * double(view.key_dim) * bytes_per_element(view.compute));
  work.output_bytes = Bytes(totals.queries * heads * double(view.value_dim) * kOutputBytes);
  return work;
}

MoeWidths moe_widths(const FusedMoe& op) {
  const double local = std::ceil(double(op.intermediate) / double(op.tensor_parallel));
  return {.gate_up = op.pass == MoePass::Down ? 0.0 : local * (op.gated ? 2 : 1),
          .intermediate = op.pass == MoePass::GateUp ? 0.0 : local};
}

Work moe_work(const FusedMoe& op, const RoutingLoad& load) {
  const MoeWidths widths = moe_widths(op);
  const double hidden = double(op.hidden), total_width = widths.gate_up + widths.intermediate;
  const double tokens_here = std::min(double(op.tokens), load.pairs);
  const double local = std::ceil(double(op.intermediate) / double(op.tensor_parallel));
  Work work;
  work.matrix_flop = Flop(2 * load.pairs * hidden * total_width);
  const double expert_bytes = hidden * total_width * bytes_per_element(weight_type(op.scheme));
  work.weight_bytes = Bytes(load.experts_hit * expert_bytes);
  work.least_weight_bytes = std::min(work.weight_bytes, Bytes(least_experts_hit(op, load) * expert_bytes));
  work.input_bytes =
      Bytes((op.pass == MoePass::Down ? load.pairs * local : tokens_here * hidden) * kOutputBytes);
  work.output_bytes =
      Bytes((op.pass == MoePass::GateUp ? load.pairs * widths.gate_up : tokens_here * hidden) * kOutputBytes);
  if (op.pass == MoePass::Both) {
    const double activation = bytes_per_element(activation_type(op.scheme));
    work.scratch_bytes =
        Bytes(load.pairs * (widths.gate_up * kOutputBytes + local * activation + hidden * kOutputBytes));
    work.fma_flop = Flop(load.pairs * (6 * local + 2 * hidden));
    work.special_ops = 2 * load.pairs * local;
    work.launches = quantises_activations(op.scheme) ? 7 : 5;
  }
  return work;
}

MlaProjections mla_projections(const MlaModule& op) {
  double queries = 0;
  for (const RequestGroup& group : op.requests) queries += double(group.count) * double(group.query_tokens);
  const std::int64_t m = std::int64_t(queries);
  const MlaShape& s = op.shape;
  const std::int64_t query_width = s.heads * (s.nope_head_dim + s.rope_head_dim);
  const std::int64_t latent = s.kv_lora_rank + s.rope_head_dim;
  MlaProjections result;
  const auto add = [&result](Gemm gemm) { result.products[result.size++] = gemm; };
  const bool low_rank = op.q_lora_rank > 0;
  add({.scheme = op.projections,
       .m = m,
       .n = (low_rank ? op.q_lora_rank : query_width) + latent,
       .k = op.hidden});
  if (low_rank) add({.scheme = op.projections, .m = m, .n = query_width, .k = op.q_lora_rank});
  if (op.decode) {
    add({.m = m, .n = s.kv_lora_rank, .k = s.nope_head_dim, .batch = s.heads});
    add({.m = m, .n = s.value_head_dim, .k = s.kv_lora_rank, .batch = s.heads});
  } else {
    add({.scheme = op.projections,
         .m = m,
         .n = s.heads * (s.nope_head_dim + s.value_head_dim),
         .k = s.kv_lora_rank});
  }
  add({.scheme = op.projections, .m = m, .n = op.hidden, .k = s.heads * s.value_head_dim});
  return result;
}

Work work_of(const Operator& op, const RoutingLoad& load) {
  if (const auto* moe = std::get_if<FusedMoe>(&op)) return moe_work(*moe, load);
  return std::visit([](const auto& alternative) { return struct_work(alternative); }, op);
}

Work work_of(const Operator& op, const RoutingCache* routing) {
  RoutingLoad load;
  if (const auto* moe = std::get_if<FusedMoe>(&op))
    load = routing != nullptr ? routing->find(*moe) : routing_load(*moe);
  return work_of(op, load);
}

}  // namespace warploom
