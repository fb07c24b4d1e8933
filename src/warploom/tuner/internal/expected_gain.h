// What one more timing of a configuration may gain, once some at the same shape were timed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warploom/tuner/tile_config.h"

namespace warploom {

// Standard deviations of ln(measured / predicted) between shapes, between grids of tiles at a shape and
// between configurations of one grid. Source: tools/tuner_truth/candidate_errors.py on the
// sets that design is judged on (decision 0165), root of the mean of squares over products in bf16, grouped
// ones and those in fp8.
inline constexpr double kShapeError = 0.061, kTileError = 0.072, kConfigError = 0.054;

struct EstimatedTile {
  TileConfig config;
  double log_us = 0;  // predicted
};
struct TimedEstimate {
  std::size_t place = 0;  // among the estimates
  double log_us = 0;      // measured
};

// By how much in ln the timing of each estimate may be expected to shorten the least measured time; 0 of
// those that were timed. What was timed moves the others: all of the shape, and more so those of its grid.
// Errors are normal with the deviations above. `timed` is not empty, without repeats. O(estimates x timed^2).
std::vector<double> expected_gains(std::span<const EstimatedTile> estimates,
                                   std::span<const TimedEstimate> timed);

}  // namespace warploom
