// How many instances single draws of the load ask for.
#pragma once

#include "warploom/planner/configuration_model.h"
#include "warploom/planner/plan_task.h"

namespace warploom {

// What each draw alone would have bought: instances of the least fleet of the point's configuration that
// keeps the level in that draw, pools together. At most kFleetsApart fleets beside the point's are looked at.
inline constexpr std::size_t kFleetsApart = 3;
InstanceSpread instances_by_draw(const PlanTask& task, const ConfigurationModel& model,
                                 const PlanPoint& point, const Screened& screened);

}  // namespace warploom
