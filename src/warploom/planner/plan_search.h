// The search: every configuration of the space is screened, ordered by the best it could be, and decided by
// simulation where its bounds leave that open.
#pragma once

#include "warploom/planner/plan_task.h"

namespace warploom {

// Deterministic for any number of threads: configurations are decided in rounds of a fixed size, each against
// what the rounds before it found. With the time limit or cancelled: what was found so far, `partial`. Throws
// InvalidInput on an empty space.
SearchResult search_plan(const PlanTask& task, const ConfigurationModel& model);

// The order of points: by the objective, then fewer GPUs, lower mean E2EL, then the configuration's order in
// the space.
bool better(const PlanPoint& a, const PlanPoint& b);

}  // namespace warploom
