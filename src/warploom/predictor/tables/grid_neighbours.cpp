#include "warploom/predictor/tables/grid_neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warploom {
namespace {

// Coordinates tried along an axis before giving up on a ragged grid.
constexpr std::size_t kTries = 10;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

struct Walk {
  const ResidualTable& table;
  PointKey key;
  std::size_t axis, steps;
  std::int64_t from;
  float coordinate;

  void look(std::int64_t value, std::array<float, kWalkSteps>& residuals,
            std::array<float, kWalkSteps>& distances, std::size_t& count) const {
    const auto found = table.find(key.moved(axis, from, value));
    if (!found) return;
    residuals[count] = *found;
    distances[count++] = std::abs(grid_coordinate(value) - coordinate);
  }

  void run(std::span<const std::int64_t> values, AxisNeighbours& result) const {
    const auto at = std::lower_bound(values.begin(), values.end(), from);
    std::size_t tries = 0;
    for (auto below = at; below != values.begin() && tries < kTries && result.below_count < steps; ++tries)
      look(*--below, result.below, result.below_distance, result.below_count);
    tries = 0;
    for (auto above = at != values.end() && *at == from ? at + 1 : at;
         above != values.end() && tries < kTries && result.above_count < steps; ++above, ++tries)
      look(*above, result.above, result.above_distance, result.above_count);
  }
};

float between(float low, float low_distance, float high, float high_distance) {
  return (low * high_distance + high * low_distance) / (low_distance + high_distance);
}

// Cubic through (-b1, -b0, a0, a1) at 0, kept near the four: close or uneven points would let it swing.
float cubic(const AxisNeighbours& n) {
  const std::array<float, 4> x{-n.below_distance[1], -n.below_distance[0], n.above_distance[0],
                               n.above_distance[1]};
  const std::array<float, 4> y{n.below[1], n.below[0], n.above[0], n.above[1]};
  float sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    float share = y[i];
    for (std::size_t j = 0; j < 4; ++j)
      if (j != i) share *= x[j] / (x[j] - x[i]);
    sum += share;
  }
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  const float slack = (*high - *low) / 2;
  return std::clamp(sum, *low - slack, *high + slack);
}

}  // namespace

void find_neighbours(const ResidualTable& table, std::uint32_t cell, const GridPoint& point,
                     std::span<const GridMove> moves, Neighbours& result) {
  const PointKey key(cell, point);
  result.axes = point.axes;
  result.moves = std::min(moves.size(), kMaxMoves);
  result.found = 0;
  for (std::size_t a = 0; a < point.axes; ++a) {
    AxisNeighbours& axis = result.axis[a];
    axis.below_count = axis.above_count = 0;
    const Walk walk{
        table, key, a, a == 0 ? kWalkSteps : kWalkSteps - 1, point.at[a], grid_coordinate(point.at[a])};
    walk.run(table.coordinates(cell, a), axis);
    result.found += axis.below_count + axis.above_count;
  }
  for (std::size_t m = 0; m < result.moves; ++m) {
    GridPoint there = point;
    result.move_found[m] = false;
    if (!apply_move(moves[m], there)) continue;
    if (const auto found = table.find(PointKey(cell, there))) {
      result.move[m] = *found;
      result.move_found[m] = true;
      ++result.found;
    }
  }
}

void make_guesses(const Neighbours& neighbours, Guesses& guesses) {
  guesses.count = 0;
  for (std::size_t a = 0; a < neighbours.axes; ++a) {
    const AxisNeighbours& n = neighbours.axis[a];
    float* guess = &guesses.values[guesses.count];
    const bool both = n.below_count > 0 && n.above_count > 0;
    guess[0] = both ? between(n.below[0], n.below_distance[0], n.above[0], n.above_distance[0]) : kNone;
    guess[1] = n.below_count > 1 && n.above_count > 1 ? cubic(n) : kNone;
    guess[2] = n.below_count > 0 ? n.below[0] : kNone;
    guess[3] = n.above_count > 0 ? n.above[0] : kNone;
    guesses.count += kGuessesPerAxis;
  }
  for (std::size_t m = 0; m < neighbours.moves; ++m)
    guesses.values[guesses.count++] = neighbours.move_found[m] ? neighbours.move[m] : kNone;
}

Centre weigh_guesses(const Guesses& guesses, std::span<const float> weights, float fallback) {
  double sum = 0, squares = 0, weight = 0;
  for (std::size_t g = 0; g < guesses.count; ++g) {
    const float value = guesses.values[g];
    if (std::isnan(value)) continue;
    const double w = double(weights[g]);
    sum += w * double(value);
    squares += w * double(value) * double(value);
    weight += w;
  }
  if (weight <= 0) return {fallback, 0, 0};
  const double mean = sum / weight;
  return {float(mean), float(std::sqrt(std::max(squares / weight - mean * mean, 0.0))), float(weight)};
}

}  // namespace warploom
