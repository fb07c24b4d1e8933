// Bounds of a configuration with a fleet, from those of its engines.
#pragma once

#include "warploom/planner/plan_task.h"

namespace warploom {

// Requests/s that the fleet cannot exceed; infinite where nothing bounds it.
double most_rate(const Configuration& configuration, const Screened& screened, const Fleet& fleet);

// Lowest value that the limit's figure can have, in s, whatever the fleet; 0: not bounded.
double least_figure(const SloLimit& limit, const Screened& screened, const LoadProfile& load);
// Whether a bound exceeds a limit, and the name of the first such.
std::optional<std::string> missed_by_bound(const ServiceLevel& level, const Screened& screened,
                                           const LoadProfile& load);

// $ per hour of what is paid for, without power: of every instance, at the mean price of the day.
double rent(const PlanTask& task, const Configuration& configuration, const Fleet& fleet);

// The same of what a run held; and the least that any run of the fleet can come to.
double rent_of_run(const PlanTask& task, const Configuration& configuration, const Fleet& fleet,
                   const RunFigures& figures);
double least_rent(const PlanTask& task, const Configuration& configuration, const Fleet& fleet);

// Requests/s that the fleet could serve at best under the task's load.
double served_at_most(const PlanTask& task, const Configuration& configuration, const Screened& screened,
                      const Fleet& fleet);

// Lowest value of the objective that the fleet could reach.
double least_objective(const PlanTask& task, const Configuration& configuration, const Screened& screened,
                       const Fleet& fleet);

// The fleet that runs: without spare instances.
Fleet running(const PlanTask& task, const Configuration& configuration, const Fleet& paid);

}  // namespace warploom
