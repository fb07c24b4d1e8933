// What a search keeps of a simulated run.
#pragma once

#include <vector>

#include "warploom/planner/run_figures.h"
#include "warploom/planner/service_level.h"
#include "warploom/serving/simulation_result.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// For a load that ends: all of its requests. Says whether the run shows that the fleet keeps up: where
// requests were drawn at one rate by all that is in the system, otherwise by what waits alone, since a load
// that rises fills a fleet that keeps up with it too. Everything but the energy.
RunFigures figures_of_finite_run(const SimulationResult& result, const Workload& workload,
                                 const ServiceLevel& level, bool drawn);

// A part of an endless load: latencies of what came after the warm-up and a mean life before the last
// arrival, since what comes later finds the system emptying; what is served is what left between the warm-up
// and the last arrival. Every number is that of `of_all` times as many requests. Everything but the energy,
// which is that of the run for as many tokens as are served in that time, from `joules` of the whole run.
RunFigures figures_of_steady_run(const SimulationResult& result, const Workload& workload,
                                 const ServiceLevel& level, double of_all, double joules);

}  // namespace warploom
