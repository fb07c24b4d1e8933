// The points of one configuration: the least fleets that meet the level, found by simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warploom/planner/pareto.h"
#include "warploom/planner/plan_task.h"

namespace warploom {

// What was found before, and need not be equalled.
struct Incumbents {
  std::optional<double> median, confident;          // objectives
  std::vector<Tradeoff> speed_points, cost_points;  // of all points so far
};

struct ConfigurationAnswer {
  std::vector<PlanPoint> points;  // none to two
  std::string reason, example;    // of a configuration without a point
  std::optional<NearMiss> nearest;
  std::int64_t short_runs = 0, whole_runs = 0;
  // Requests/s that its largest fleet serves when saturated; absent: nobody had to know.
  std::optional<double> most_rate;
};

// Why a configuration that can run has no point.
inline constexpr std::string_view kNoFleet = "no fleet of that many GPUs",
                                  kOverload = "cannot sustain the load",
                                  kTooSlow = "a limit is below what it can reach",
                                  kNotBetter = "cannot be better than what was found",
                                  kMissed = "misses a limit in simulation";

// Where a point stands in the fronts of speed (tokens/s/GPU against tokens/s/user) and of cost ($ per token
// against p95 TTFT).
Tradeoff speed_of(const PlanPoint& point);
Tradeoff cost_of(const PlanPoint& point);

// Fleets are tried from the cheapest on. One that serves less than the load when it is saturated is none.
// Unless the task is exhaustive, what cannot sustain a limit by its bounds is not run, nor is a fleet that
// cannot be better than the incumbents; a configuration is given up when its largest fleet misses the level,
// and a run of a load of stated length when its first quarter already holds more requests beyond a limit than
// the whole run may have. The last two rest on this: more instances, and fewer requests behind them, make no
// request slower.
//
// With several draws of the load, what one leaves open all decide (load_draws.h); of a `finalist` they decide
// whatever one says.
ConfigurationAnswer answer_configuration(const PlanTask& task, const ConfigurationModel& model,
                                         const Configuration& configuration, const Screened& screened,
                                         const Incumbents& incumbents, bool finalist = false);

// Whether a run keeps to the level and up with its load, whatever the limits look at; `sure`: with what the
// length of the run leaves open, in nine cases of ten.
bool meets(const PlanTask& task, const RunFigures& figures, bool sure = false);

// The point of a run.
PlanPoint point_of(const PlanTask& task, const Configuration& configuration, const Screened& screened,
                   const Fleet& fleet, double rate, const RunFigures& figures);

// Whether the whole run is sure to miss the level, given its first quarter.
bool sure_to_miss(const PlanTask& task, const RunFigures& first_quarter);

}  // namespace warploom
