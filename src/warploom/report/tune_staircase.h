// The wave staircase: predicted time of configurations as the grid grows.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/tune/staircase.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

// A bar of the chosen time, with the configuration, a line each.
std::string staircase_text(const RuntimeTable& table, const std::vector<StaircasePoint>& points);
// A page without scripts: chosen and default times, and `measured` samples of the chosen configurations.
std::string staircase_html(const RuntimeTable& table, const std::vector<StaircasePoint>& points,
                           const std::vector<TileSample>& measured);

}  // namespace warploom
