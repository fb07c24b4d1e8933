// How sure a pick is that nobody measured: its share of the best configuration's speed, with an interval.
#pragma once

#include <span>

#include "warploom/tuner/record_rules.h"
#include "warploom/tuner/tile_config.h"

namespace warploom {

struct PickShare {
  double p10 = 1, p50 = 1, p90 = 1;
};

// The share of configs[pick], where ln(time) of all is known up to the errors of their tiles. Deterministic;
// O(256 configurations).
PickShare share_of_best(std::span<const TileConfig> configs, std::span<const double> log_times,
                        std::size_t pick, const TimeErrors& errors);

// The same of a pick that takes exp(`mine`) us, where some were timed on the GPU: ln(us) of each, NaN where
// it was not. What was not timed is told by `log_times`, moved by what they err by on the mean of those that
// were; asks for one that was.
PickShare share_of_best_timed(std::span<const TileConfig> configs, std::span<const double> log_times,
                              std::span<const double> timed, double mine, const TimeErrors& errors);

// Whether `gain` in ln(time) between two configurations is one in four of five such pairs.
bool clearly_faster(double gain, const TileConfig& config, const TileConfig& than, const TimeErrors& errors);

}  // namespace warploom
