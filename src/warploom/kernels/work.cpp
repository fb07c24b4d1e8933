#include "warploom/kernels/work.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/operator_family.h"

namespace warploom {
namespace {

// Arithmetic besides the products of one attended (query, key) pair: scale, maximum, subtract, sum, rescale.
constexpr double kSoftmaxFlopPerPair = 6;
constexpr double kOutputBytes = 2;  // activations leave in 16 bit

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

// Element-wise and row-wise kernels: `reads` and `writes` in elements, arithmetic per element written.
Work streaming_work(double reads, double writes, DataType type, double fma, double special) {
  Work work;
  work.input_bytes = Bytes(reads * bytes_per_element(type));
  work.output_bytes = Bytes(writes * bytes_per_element(type));
  work.fma_flop = Flop(fma * writes);
  work.special_ops = special;
  return work;
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

Work work_of(const Operator& op, const RoutingLoad& load) { return family_value(op).work(op, load); }

Work work_of(const Operator& op, const RoutingCache* routing) {
  RoutingLoad load;
  if (const auto* moe = std::get_if<FusedMoe>(&op))
    load = routing != nullptr ? routing->find(*moe) : routing_load(*moe);
  return work_of(op, load);
}

}  // namespace warploom
