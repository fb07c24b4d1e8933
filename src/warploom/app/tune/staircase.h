// Use case `tune show`, the wave staircase: predicted time of configurations as the grid grows.
#pragma once

#include <cstdint>
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

}  // namespace warploom
