// One bias a candidate of a cell, so that the formula's times, so corrected, choose as the correction itself
// would.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warploom {

struct CellBiases {
  std::vector<float> factors;  // of each candidate, near 1
  float scale = 1;             // of all of them
};

// `formula` and `ratios` (corrected time / formula) hold one row of `count` candidates a place. Begins with
// each candidate's mean ratio, where it comes near the best counted twice, and then moves one candidate at a
// time as far as it takes to lose less over the places. Deterministic. O(places x count^2 x steps).
CellBiases cell_biases(std::span<const float> formula, std::span<const float> ratios, std::size_t count);

}  // namespace warploom
