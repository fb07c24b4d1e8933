#include "warploom/kernels/operator.h"

#include <bit>

#include "warploom/base/hash.h"

namespace warploom {
namespace {

Family collective_family(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::AllReduce:
      return Family::AllReduce;
    case CollectiveKind::AllGather:
      return Family::AllGather;
    case CollectiveKind::ReduceScatter:
      return Family::ReduceScatter;
    case CollectiveKind::AllToAll:
      return Family::AllToAll;
    case CollectiveKind::SendRecv:
      return Family::SendRecv;
    case CollectiveKind::Dispatch:
      return Family::MoeDispatch;
    case CollectiveKind::Combine:
      return Family::MoeCombine;
  }
  return Family::AllReduce;
}

// Feeds fields into one running hash.
class ShapeHasher {
 public:
  explicit ShapeHasher(std::size_t family) : hash_(hash_combine(0x57A9ULL, family)) {}

  template <class... T>
  ShapeHasher& mix(const T&... values) {
    (mix_one(values), ...);
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  void mix_one(double value) { hash_ = hash_combine(hash_, std::bit_cast<std::uint64_t>(value)); }
  void mix_one(std::int64_t value) { hash_ = hash_combine(hash_, static_cast<std::uint64_t>(value)); }
  void mix_one(bool value) { hash_ = hash_combine(hash_, value ? 1 : 0); }
  template <NamedEnum E>
  void mix_one(E value) {
    hash_ = hash_combine(hash_, static_cast<std::uint64_t>(value));
  }
  void mix_one(const MlaShape& shape) {
    mix(shape.heads, shape.kv_lora_rank, shape.rope_head_dim, shape.nope_head_dim, shape.value_head_dim);
  }
  void mix_one(const std::vector<RequestGroup>& requests) {
    for (const RequestGroup& group : requests) mix(group.count, group.query_tokens, group.context_tokens);
  }

  std::uint64_t hash_;
};

void mix(ShapeHasher& hasher, const Gemm& op) { hasher.mix(op.scheme, op.m, op.n, op.k, op.batch); }
void mix(ShapeHasher& hasher, const AttentionPrefill& op) {
  hasher.mix(op.compute, op.kv_cache, op.heads, op.kv_heads, op.head_dim, op.window, op.causal, op.requests);
}
void mix(ShapeHasher& hasher, const AttentionDecode& op) {
  hasher.mix(op.compute, op.kv_cache, op.heads, op.kv_heads, op.head_dim, op.window, op.requests);
}
void mix(ShapeHasher& hasher, const MlaPrefill& op) {
  hasher.mix(op.compute, op.kv_cache, op.shape, op.requests);
}
void mix(ShapeHasher& hasher, const MlaDecode& op) {
  hasher.mix(op.compute, op.kv_cache, op.shape, op.requests);
}
void mix(ShapeHasher& hasher, const MlaModule& op) {
  hasher.mix(op.projections, op.compute, op.kv_cache, op.decode, op.hidden, op.q_lora_rank, op.shape,
             op.requests);
}
void mix(ShapeHasher& hasher, const FusedMoe& op) {
  hasher.mix(op.scheme, op.tokens, op.hidden, op.intermediate, op.experts, op.top_k, op.tensor_parallel,
             op.expert_parallel, op.routing, op.routing_alpha, op.gated, op.pass);
}
void mix(ShapeHasher& hasher, const RmsNorm& op) {
  hasher.mix(op.type, op.tokens, op.width, op.residual, op.layer_norm);
}
void mix(ShapeHasher& hasher, const Activation& op) { hasher.mix(op.type, op.tokens, op.width, op.gated); }
void mix(ShapeHasher& hasher, const Elementwise& op) {
  hasher.mix(op.kind, op.type, op.rows, op.width, op.inputs);
}
void mix(ShapeHasher& hasher, const Rope& op) {
  hasher.mix(op.type, op.tokens, op.heads, op.kv_heads, op.head_dim);
}
void mix(ShapeHasher& hasher, const KvWrite& op) {
  hasher.mix(op.type, op.kv_cache, op.tokens, op.kv_heads, op.head_dim);
}
void mix(ShapeHasher& hasher, const Quantize& op) { hasher.mix(op.target, op.rows, op.width, op.dynamic); }
void mix(ShapeHasher& hasher, const Embedding& op) {
  hasher.mix(op.type, op.tokens, op.hidden, op.vocabulary);
}
void mix(ShapeHasher& hasher, const Sampling& op) { hasher.mix(op.sequences, op.vocabulary); }
void mix(ShapeHasher& hasher, const LinearAttention& op) {
  hasher.mix(op.kind, op.stage, op.sequences, op.tokens_per_sequence, op.key_heads, op.key_dim,
             op.value_heads, op.value_dim, op.convolution_width, op.state_size);
}
void mix(ShapeHasher& hasher, const Collective& op) {
  hasher.mix(op.kind, op.size.value(), op.ranks, op.ranks_per_node);
  if (op.top_k > 0) hasher.mix(op.top_k, op.token_bytes.value());
  // Measured rows have none of these.
  if (op.nic_rate) hasher.mix(op.nic_rate->value());
  if (op.nics_per_node) hasher.mix(*op.nics_per_node);
  if (op.oversubscription) hasher.mix(*op.oversubscription);
}

}  // namespace

Family family_of(const Operator& op) {
  // The alternatives before Collective stand in the order of the families.
  static_assert(std::variant_size_v<Operator> == static_cast<std::size_t>(Family::AllReduce) + 1);
  if (const auto* collective = std::get_if<Collective>(&op)) return collective_family(collective->kind);
  return static_cast<Family>(op.index());
}

std::uint64_t shape_hash(const Operator& op) {
  ShapeHasher hasher(op.index());
  std::visit([&hasher](const auto& alternative) { mix(hasher, alternative); }, op);
  return hasher.value();
}

}  // namespace warploom
