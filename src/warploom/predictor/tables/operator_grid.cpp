#include "warploom/predictor/tables/operator_grid.h"

#include <cmath>

#include "warploom/base/hash.h"

namespace warploom {
namespace {

template <class... T>
std::uint64_t mixed(T... values) {
  std::uint64_t hash = 0x6B1DULL;
  ((hash = hash_combine(hash, std::uint64_t(values))), ...);
  return hash;
}

GridPoint point(std::uint64_t group, std::initializer_list<std::int64_t> at) {
  GridPoint p;
  p.group = group;
  for (const std::int64_t value : at) p.at[p.axes++] = value;
  return p;
}

std::uint64_t mixed_shape(const MlaShape& s) {
  return mixed(s.kv_lora_rank, s.rope_head_dim, s.nope_head_dim, s.value_head_dim);
}

GridPoint grid_of(const Gemm& op) { return point(mixed(op.batch), {op.m, op.n, op.k}); }

GridPoint grid_of(const AttentionPrefill& op) {
  if (op.requests.size() != 1) return {};
  const RequestGroup& r = op.requests[0];
  return point(mixed(op.head_dim, op.window, r.context_tokens),
               {r.query_tokens, r.count, op.heads, op.kv_heads});
}

GridPoint grid_of(const AttentionDecode& op) {
  if (op.requests.size() != 1) return {};
  const RequestGroup& r = op.requests[0];
  return point(mixed(op.head_dim, op.window, r.query_tokens),
               {r.context_tokens, r.count, op.heads, op.kv_heads});
}

GridPoint grid_of(const MlaPrefill& op) {
  if (op.requests.size() != 1) return {};
  const RequestGroup& r = op.requests[0];
  return point(mixed(mixed_shape(op.shape), r.context_tokens), {r.query_tokens, r.count, op.shape.heads});
}

GridPoint grid_of(const MlaDecode& op) {
  if (op.requests.size() != 1) return {};
  const RequestGroup& r = op.requests[0];
  return point(mixed(mixed_shape(op.shape), r.query_tokens), {r.context_tokens, r.count, op.shape.heads});
}

GridPoint grid_of(const MlaModule& op) {
  if (op.requests.size() != 1) return {};
  const RequestGroup& r = op.requests[0];
  const std::uint64_t group = mixed(mixed_shape(op.shape), op.hidden, op.q_lora_rank);
  if (op.decode)
    return point(hash_combine(group, std::uint64_t(r.query_tokens)),
                 {r.context_tokens, r.count, op.shape.heads});
  return point(hash_combine(group, std::uint64_t(r.context_tokens)),
               {r.query_tokens, r.count, op.shape.heads});
}

// Routing as a coordinate: balanced is 1000, an exponent a 1000 (1 + a) and a little, so that none collide;
// choices at random lie far from either.
std::int64_t routing_coordinate(const FusedMoe& op) {
  if (op.routing == RoutingKind::Uniform) return 1;
  return op.routing == RoutingKind::Balanced ? 1000 : 1001 + std::llround(1000 * op.routing_alpha);
}

GridPoint grid_of(const FusedMoe& op) {
  return point(mixed(op.experts, op.top_k), {op.tokens, op.tensor_parallel, op.expert_parallel,
                                             routing_coordinate(op), op.intermediate, op.hidden});
}

GridPoint grid_of(const RmsNorm& op) { return point(mixed(0), {op.tokens, op.width}); }
GridPoint grid_of(const Activation& op) { return point(mixed(0), {op.tokens, op.width}); }
GridPoint grid_of(const Elementwise& op) { return point(mixed(op.inputs), {op.rows, op.width}); }
GridPoint grid_of(const Rope& op) {
  return point(mixed(op.type, op.head_dim), {op.tokens, op.heads, op.kv_heads});
}
GridPoint grid_of(const KvWrite& op) {
  return point(mixed(op.type, op.kv_cache, op.head_dim), {op.tokens, op.kv_heads});
}
GridPoint grid_of(const Quantize& op) { return point(mixed(0), {op.rows, op.width}); }
GridPoint grid_of(const Embedding& op) {
  return point(mixed(op.type), {op.tokens, op.hidden, op.vocabulary});
}
GridPoint grid_of(const Sampling& op) { return point(mixed(0), {op.sequences, op.vocabulary}); }
GridPoint grid_of(const LinearAttention& op) {
  return point(mixed(op.key_dim, op.value_dim, op.convolution_width, op.state_size),
               {op.tokens_per_sequence, op.sequences, op.value_heads, op.key_heads});
}
GridPoint grid_of(const Collective& op) {
  return point(mixed(op.ranks_per_node, op.top_k, std::llround(op.token_bytes.value())),
               {std::llround(op.size.value()), op.ranks});
}

using Doublings = std::array<std::int8_t, kMaxAxes>;
constexpr std::array<GridMove, 7> kGemmMoves{{{Doublings{1, -1, 0}},
                                              {Doublings{-1, 1, 0}},
                                              {Doublings{0, 1, -1}},
                                              {Doublings{0, -1, 1}},
                                              {Doublings{1, 0, -1}},
                                              {Doublings{-1, 0, 1}},
                                              {Doublings{}, 1, 2}}};
// Both kinds of heads doubled; the same with the batch halved; a longer batch of fewer.
constexpr std::array<GridMove, 8> kAttentionMoves{{{Doublings{0, 0, 1, 1}},
                                                   {Doublings{0, 0, -1, -1}},
                                                   {Doublings{0, -1, 1, 1}},
                                                   {Doublings{0, 1, -1, -1}},
                                                   {Doublings{0, -1, 1, 0}},
                                                   {Doublings{0, 1, -1, 0}},
                                                   {Doublings{1, -1, 0, 0}},
                                                   {Doublings{-1, 1, 0, 0}}}};
constexpr std::array<GridMove, 4> kMlaMoves{
    {{Doublings{0, -1, 1}}, {Doublings{0, 1, -1}}, {Doublings{1, -1, 0}}, {Doublings{-1, 1, 0}}}};
constexpr std::array<GridMove, 6> kMoeMoves{{{Doublings{0, 1, -1}},
                                             {Doublings{0, -1, 1}},
                                             {Doublings{1, 0, 1}},
                                             {Doublings{-1, 0, -1}},
                                             {Doublings{0, 1, 0, 0, 1}},
                                             {Doublings{0, -1, 0, 0, -1}}}};
constexpr std::array<GridMove, 2> kPlaneMoves{{{Doublings{1, -1}}, {Doublings{-1, 1}}}};

}  // namespace

GridPoint grid_point(const Operator& op) {
  return std::visit([](const auto& o) { return grid_of(o); }, op);
}

float grid_coordinate(std::int64_t value) { return std::log2(float(value) + 0.25F); }

std::span<const GridMove> grid_moves(Family family) {
  switch (family) {
    case Family::Gemm:
      return kGemmMoves;
    case Family::AttentionPrefill:
    case Family::AttentionDecode:
      return kAttentionMoves;
    case Family::MlaPrefill:
    case Family::MlaDecode:
    case Family::MlaModule:
      return kMlaMoves;
    case Family::Moe:
      return kMoeMoves;
    default:
      return kPlaneMoves;
  }
}

bool apply_move(const GridMove& move, GridPoint& point) {
  bool moved = false;
  for (std::size_t a = 0; a < point.axes; ++a) {
    if (move.doublings[a] == 0) continue;
    moved = true;
    if (move.doublings[a] > 0) {
      point.at[a] *= 2;
    } else {
      if (point.at[a] % 2 != 0 || point.at[a] == 0) return false;
      point.at[a] /= 2;
    }
  }
  if (move.exchange_a >= 0) {
    std::int64_t &a = point.at[std::size_t(move.exchange_a)], &b = point.at[std::size_t(move.exchange_b)];
    moved = a != b;
    std::swap(a, b);
  }
  return moved;
}

}  // namespace warploom
