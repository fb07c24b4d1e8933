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

// $ per hour of what instances share beside their GPUs.
double store_rent(const PlanTask& task, const Configuration& configuration);

// $ per hour of what is paid for, without power: of every instance, at the mean price of the day.
double rent(const PlanTask& task, const Configuration& configuration, const Fleet& fleet);

// All that the parts of a rent pay for, and its $ per hour.
RentedGpus rented_of(const std::vector<RentedShare>& shares);
double dollars_of(const std::vector<RentedShare>& shares);

// Whether the nodes of the fleet keep to the power and the racks of the task.
bool is_within_room(const PlanTask& task, const Configuration& configuration, const Fleet& fleet);
// The fleets of a configuration that do, as fleets_of orders them.
std::vector<Fleet> fleets_within(const PlanTask& task, const Configuration& configuration);

// The least rent that any run of the fleet can come to.
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
