// What a fleet serves while requests always wait. A fleet may serve more than that for a while, until chance
// fills its KV cache; requests are then preempted, and above this rate the queue never empties again.
#pragma once

#include <span>

#include "warploom/planner/plan_task.h"
#include "warploom/serving/request.h"

namespace warploom {

// Requests/s that `fleet`, which runs without spares, serves in a run of `step_time` in which requests always
// wait; infinite where the load has no constant rate, may be turned away, or where pools scale. Of one pool
// it is that of one instance times their number, so that all fleets share a run.
double saturated_rate(const PlanTask& task, const ConfigurationModel& model,
                      const Configuration& configuration, const Fleet& fleet, StepTime step_time);

// Requests/s in the part of a run in which requests wait: all came at its start, and it is counted from when
// a quarter of them is complete until the last one is scheduled. Of requests' tokens, taken as spread evenly
// between their first and their last; the lower end of an interval that nine in ten lie in, by batch means,
// or nearly what the whole run serves where that is more. Where nothing waits that long: the whole run's.
double served_while_waiting(std::span<const RequestRecord> records);

// Whether a fleet is so far from being full that nothing need be known of it: in a run of its load it never
// had more than kFarFromFull of what it can have in flight.
inline constexpr double kFarFromFull = 0.5;
bool is_far_from_full(const Configuration& configuration, const Screened& screened, const Fleet& fleet,
                      const RunFigures& figures);

// Whether what must be served of `rate` is no more than that.
bool is_sustained(const PlanTask& task, double rate, double saturated);

// How much of the saturated rate is used, as a limit of a fleet that does not sustain its load.
LimitUse saturation_use(const PlanTask& task, double rate, double saturated);

}  // namespace warploom
