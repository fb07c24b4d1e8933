// The wave staircase: predicted time of configurations as the grid grows.
#pragma once

#include <string>
#include <vector>

#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

struct StaircasePoint {
  TileShape shape;
  TilePick chosen;
  double default_us = 0;  // predicted, of the default configuration
};
// `count` shapes with m from 1 to most_m, evenly in logarithm; n and k fixed. Throws InvalidInput.
std::vector<StaircasePoint> staircase(const RuntimeTable& table, std::int64_t most_m, std::int64_t n,
                                      std::int64_t k, std::size_t count);

// A bar of the chosen time, with the configuration, a line each.
std::string staircase_text(const RuntimeTable& table, const std::vector<StaircasePoint>& points);
// A page without scripts: chosen and default times, and `measured` samples of the chosen configurations.
std::string staircase_html(const RuntimeTable& table, const std::vector<StaircasePoint>& points,
                           const std::vector<TileSample>& measured);

}  // namespace warploom
