// Interpolation of a point's residual from its measured neighbours: those one and two steps away along every
// axis and those of equal work, and the weighted mean of all such guesses, the centre.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "warploom/predictor/tables/residual_table.h"

namespace warploom {

// Steps along an axis, nearest first: -1, -2, -3 and +1, +2, +3.
inline constexpr std::size_t kWalkSteps = 3;
inline constexpr std::size_t kMaxMoves = 8;

struct AxisNeighbours {
  std::array<float, kWalkSteps> below{}, above{};                    // residuals
  std::array<float, kWalkSteps> below_distance{}, above_distance{};  // in doublings, positive
  std::size_t below_count = 0, above_count = 0;
};

struct Neighbours {
  std::array<AxisNeighbours, kMaxAxes> axis;
  std::array<float, kMaxMoves> move{};
  std::array<bool, kMaxMoves> move_found{};
  std::size_t axes = 0, moves = 0, found = 0;
};

// Reads the table around the point; the point's own entry is never read. Up to two steps along an axis, three
// along the first.
void find_neighbours(const ResidualTable& table, std::uint32_t cell, const GridPoint& point,
                     std::span<const GridMove> moves, Neighbours& result);

// Guesses of the point's residual. Per axis: the value between the two nearest, a cubic through four, the
// nearest below and above alone; then the moves. A guess that cannot be made is NaN.
inline constexpr std::size_t kGuessesPerAxis = 4;
inline constexpr std::size_t kMaxGuesses = kMaxAxes * kGuessesPerAxis + kMaxMoves;
struct Guesses {
  std::array<float, kMaxGuesses> values;
  std::size_t count = 0;
};
void make_guesses(const Neighbours& neighbours, Guesses& guesses);

// Mean of the guesses by weight; NaN ones do not count. `fallback` when there is none with weight.
struct Centre {
  float value = 0, spread = 0, weight = 0;  // spread: weighted standard deviation
};
Centre weigh_guesses(const Guesses& guesses, std::span<const float> weights, float fallback);

}  // namespace warploom
