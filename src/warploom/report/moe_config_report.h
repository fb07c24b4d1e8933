// Configuration tables for people.
#pragma once

#include <string>

#include "warploom/fused_moe/config_table.h"
#include "warploom/fused_moe/config_training.h"

namespace warploom {

// A row per key: configuration, the engine's default beside it, expected speed-up with its interval.
std::string moe_config_text(const MoeConfigTable& table);

std::string config_training_text(const ConfigTraining& training);
// {"rows", "residual": {"p10","p90"}, "all": E, "gpus": {G: E}} with E = {"shapes", "median_points",
// "mean_points", "constant_median_points"}, percentage points of gain.
Json config_training_json(const ConfigTraining& training);

}  // namespace warploom
