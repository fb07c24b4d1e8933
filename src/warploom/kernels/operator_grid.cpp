#include "warploom/kernels/operator_grid.h"

#include <cmath>

#include "warploom/kernels/operator_family.h"

namespace warploom {

GridPoint grid_point(const Operator& op) { return family_value(op).grid(op); }

float grid_coordinate(std::int64_t value) { return std::log2(float(value) + 0.25F); }

std::span<const GridMove> grid_moves(Family family) { return family_value(family).moves; }

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
