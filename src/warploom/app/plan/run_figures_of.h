// What a search keeps of a simulated run.
#pragma once

#include "warploom/planner/run_figures.h"
#include "warploom/planner/service_level.h"
#include "warploom/serving/simulation_result.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Everything but the energy.
// `workload` is the one that ran.
RunFigures run_figures_of(const SimulationResult& result, const Workload& workload,
                          const ServiceLevel& level);

}  // namespace warploom
