// What one more timing of a configuration may gain, once some at the same shape were timed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warploom/tuner/tile_config.h"

namespace warploom {

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
// Errors are normal with the deviations of candidate_errors(). `timed` is not empty, without
// repeats. O(estimates x timed^2).
std::vector<double> expected_gains(std::span<const EstimatedTile> estimates,
                                   std::span<const TimedEstimate> timed);

}  // namespace warploom
