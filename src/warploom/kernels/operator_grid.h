// Where an operator lies on the grids that sweeps measure: its sizes as coordinates, the rest as a group.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "warploom/base/hash.h"
#include "warploom/kernels/operator.h"

namespace warploom {

inline constexpr std::size_t kMaxAxes = 6;

struct GridPoint {
  std::uint64_t group = 0;  // hash of everything that is no coordinate (kind_code apart)
  std::array<std::int64_t, kMaxAxes> at{};
  std::size_t axes = 0;  // 0: the operator lies on no grid (a ragged batch)
};

// A group of everything that is no coordinate.
template <class... T>
std::uint64_t grid_group(T... values) {
  std::uint64_t hash = 0x6B1DULL;
  ((hash = hash_combine(hash, std::uint64_t(values))), ...);
  return hash;
}
inline std::uint64_t grid_group(const MlaShape& s) {
  return grid_group(s.kv_lora_rank, s.rope_head_dim, s.nope_head_dim, s.value_head_dim);
}
inline GridPoint at_grid(std::uint64_t group, std::initializer_list<std::int64_t> coordinates) {
  GridPoint point;
  point.group = group;
  for (const std::int64_t value : coordinates) point.at[point.axes++] = value;
  return point;
}

// Coordinates by family. Batches of attention: length, requests, heads, KV heads; GEMM: m, n, k; MoE: tokens,
// tensor and expert parallelism, routing, intermediate, hidden; streams: rows, width. No allocation.
GridPoint grid_point(const Operator& op);

// Distance along an axis is counted in doublings: log2 of a size.
float grid_coordinate(std::int64_t value);

// A neighbour that is no step along one axis: coordinates doubled (+1) or halved (-1), or two exchanged.
struct GridMove {
  std::array<std::int8_t, kMaxAxes> doublings{};
  int exchange_a = -1, exchange_b = -1;
};
using Doublings = std::array<std::int8_t, kMaxAxes>;
// Twice one size and half the other.
inline constexpr std::array<GridMove, 2> kPlaneMoves{{{Doublings{1, -1}}, {Doublings{-1, 1}}}};
// Moves that keep the amount of work, or whose answer is alike for other reasons.
std::span<const GridMove> grid_moves(Family family);

// False when a move leaves the integers or stays in place.
bool apply_move(const GridMove& move, GridPoint& point);

}  // namespace warploom
