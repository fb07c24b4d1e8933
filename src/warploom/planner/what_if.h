// What would change if the best deployment were one instance smaller, without its spot instances, on the next
// dearer GPU, or if the load were half as large again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warploom/planner/plan_task.h"

namespace warploom {

struct WhatIf {
  std::string question;            // "one instance fewer"
  std::optional<PlanPoint> point;  // what answers it
  bool meets = false;              // the level
  LimitUse binding;                // of that point; the one that breaks first where it does not
};

inline constexpr double kMoreLoad = 1.5;

// Changes of result.points[result.best]; empty without one. Simulates a few fleets.
std::vector<WhatIf> what_ifs(const PlanTask& task, const ConfigurationModel& model,
                             const SearchResult& result);

// What would most likely relax the limit that binds: from where the time of the run goes.
std::string relaxing_advice(const RunFigures& figures, const LimitUse& binding);

}  // namespace warploom
