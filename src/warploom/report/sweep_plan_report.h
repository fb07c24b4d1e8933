// What `sweep-plan` chose.
#pragma once

#include <filesystem>
#include <string>

#include "warploom/app/data/sweep_plan.h"
#include "warploom/base/json.h"

namespace warploom {

std::string sweep_plan_text(const SweepPlanResult& result, const std::filesystem::path& plan);
// {"candidates", "operators": {F: chosen}}
Json sweep_plan_json(const SweepPlanResult& result);

}  // namespace warploom
