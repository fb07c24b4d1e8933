// A simulated run as other programs show it.
#pragma once

#include <span>
#include <string>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/json.h"

namespace warploom {

// The text of each view that is named (kRunViews), by its name.
Json run_views_json(std::span<const std::string> views, const SimulateResult& result);

}  // namespace warploom
