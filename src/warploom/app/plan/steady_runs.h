// Runs of an endless load: as long as it takes to see whether the fleet keeps up with it.
#pragma once

#include "warploom/app/plan/fleet_run.h"
#include "warploom/planner/load_profile.h"
#include "warploom/planner/run_figures.h"
#include "warploom/planner/service_level.h"

namespace warploom {

// Simulates more and more requests until the run is steady, grows, misses a limit beyond its interval, or is
// as long as a run may be. `own`: the load that tells whether one instance says what all do, which then is
// the one that is simulated, with its share of the requests. Rates as RunQuestion has them.
RunFigures run_until_steady(FleetRun& fleet, const PlanRequest& request, const Workload& own,
                            const ServiceLevel& level, const RunQuestion& question);

// Requests of a run of `requests` that come at once in place of `in_flight`: all where the half that is
// looked at is of the load alone, else an eighth of the run, which then is not filled up.
std::size_t crowd_of(std::size_t in_flight, std::size_t requests);

// As many requests at once as the fleet can have in flight (crowd_of), then the load; the figures are of the
// second half. A fleet may be fast with few requests in flight and slow with many, steadily in both: long
// steps gather the requests that make steps long. Chance brings it from one to the other, so the slow one is
// what it must bear.
RunFigures run_after_crowd(FleetRun& fleet, const PlanRequest& request, const Workload& own,
                           const ServiceLevel& level, const RunQuestion& question, double in_flight);

// All requests at once, many more than the fleet has in flight: metrics.request_throughput is what it serves
// meanwhile. `in_flight`: the most that it has.
RunFigures run_saturated(FleetRun& fleet, const PlanRequest& request, double in_flight, StepTime step_time);

}  // namespace warploom
