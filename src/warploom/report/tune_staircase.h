// The wave staircase: predicted time of configurations as the grid grows.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/tune/staircase.h"
#include "warploom/base/json.h"

namespace warploom {

// A bar of the chosen time, with the configuration, a line each.
std::string staircase_text(const RuntimeTable& table, const std::vector<StaircasePoint>& points);
// {"kernel", "kind", "gpu", "tier", "default", "n", "k", "points": [{"m", "chosen_us", "default_us",
// "config"}], "measured": [{"m", "config", "time_us"}]}
Json tune_show_json(const TuneShowResult& result);

}  // namespace warploom
