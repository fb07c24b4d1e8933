#include "warploom/baselines/operator_coordinates.h"

#include <algorithm>
#include <cmath>

#include "warploom/base/hash.h"

namespace warploom::baselines {
namespace {

struct Builder {
  OperatorCoordinates result;

  template <class... Sizes>
  void sizes(const Sizes&... values) {
    (result.add(double(values)), ...);
  }
  template <class... Words>
  void variant(const Words&... values) {
    ((result.variant = hash_combine(result.variant, std::uint64_t(values))), ...);
  }
  void requests(const std::vector<RequestGroup>& groups) {
    double count = 0, queries = 0, context = 0;
    for (const RequestGroup& group : groups) {
      count += double(group.count);
      queries += double(group.count * group.query_tokens);
      context += double(group.count * group.context_tokens);
    }
    sizes(count, queries / std::max(count, 1.0), context / std::max(count, 1.0));
  }

  void operator()(const Gemm& op) {
    variant(op.scheme, op.residency);
    sizes(op.m, op.n, op.k, op.batch, op.weight_copies);
  }
  void operator()(const AttentionPrefill& op) {
    variant(op.compute, op.kv_cache, op.causal, op.window);
    sizes(op.heads, op.kv_heads, op.head_dim);
    requests(op.requests);
  }
  void operator()(const AttentionDecode& op) {
    variant(op.compute, op.kv_cache, op.window);
    sizes(op.heads, op.kv_heads, op.head_dim);
    requests(op.requests);
  }
  void latent(const MlaShape& shape) { sizes(shape.heads, shape.kv_lora_rank, shape.nope_head_dim); }
  void operator()(const MlaPrefill& op) {
    variant(op.compute, op.kv_cache);
    latent(op.shape);
    requests(op.requests);
  }
  void operator()(const MlaDecode& op) {
    variant(op.compute, op.kv_cache);
    latent(op.shape);
    requests(op.requests);
  }
  void operator()(const MlaModule& op) {
    variant(op.projections, op.compute, op.kv_cache, op.decode);
    sizes(op.hidden, op.q_lora_rank);
    latent(op.shape);
    requests(op.requests);
  }
  void operator()(const FusedMoe& op) {
    variant(op.scheme, op.routing, op.gated, op.pass);
    sizes(op.tokens, op.hidden, op.intermediate, op.experts, op.top_k, op.tensor_parallel, op.expert_parallel,
          op.routing_alpha);
  }
  void operator()(const RmsNorm& op) {
    variant(op.type, op.residual, op.layer_norm);
    sizes(op.tokens, op.width);
  }
  void operator()(const Activation& op) {
    variant(op.type, op.gated);
    sizes(op.tokens, op.width);
  }
  void operator()(const Elementwise& op) {
    variant(op.kind, op.type, op.inputs);
    sizes(op.rows, op.width);
  }
  void operator()(const Rope& op) {
    variant(op.type);
    sizes(op.tokens, op.heads, op.kv_heads, op.head_dim);
  }
  void operator()(const KvWrite& op) {
    variant(op.type, op.kv_cache);
    sizes(op.tokens, op.kv_heads, op.head_dim);
  }
  void operator()(const Quantize& op) {
    variant(op.target, op.dynamic);
    sizes(op.rows, op.width);
  }
  void operator()(const Embedding& op) {
    variant(op.type);
    sizes(op.tokens, op.hidden, op.vocabulary);
  }
  void operator()(const Sampling& op) { sizes(op.sequences, op.vocabulary); }
  void operator()(const LinearAttention& op) {
    variant(op.kind, op.stage);
    sizes(op.sequences, op.tokens_per_sequence, op.key_heads, op.key_dim, op.value_heads, op.value_dim,
          op.convolution_width, op.state_size);
  }
  void operator()(const Collective& op) {
    variant(op.kind);
    sizes(op.size.value(), op.ranks, op.ranks_per_node, op.top_k, op.token_bytes.value());
  }
};

}  // namespace

void OperatorCoordinates::add(double size) { sizes[count++] = std::log2(static_cast<float>(1 + size)); }

OperatorCoordinates operator_coordinates(const Operator& op) {
  Builder builder;
  builder.variant(family_of(op));
  std::visit([&builder](const auto& held) { builder(held); }, op);
  return builder.result;
}

}  // namespace warploom::baselines
