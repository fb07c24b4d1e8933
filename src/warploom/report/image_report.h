// What a run's images and thoughts took: nothing is said of runs without any.
#pragma once

#include <string>

#include "warploom/app/serving/run_label.h"
#include "warploom/base/json.h"
#include "warploom/serving/simulation_result.h"

namespace warploom {

std::string image_text(const RunLabel& label, const SimulationResult& result);
void add_image_figures(Json& document, const RunLabel& label, const SimulationResult& result);

std::string thinking_text(const SimulationResult& result);
void add_thinking_figures(Json& document, const SimulationResult& result);

}  // namespace warploom
