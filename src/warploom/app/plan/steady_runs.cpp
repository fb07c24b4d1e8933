#include "warploom/app/plan/steady_runs.h"

#include <algorithm>
#include <cmath>

#include "warploom/app/plan/plan_load.h"
#include "warploom/app/plan/run_figures_of.h"
#include "warploom/planner/saturation.h"

namespace warploom {
namespace {

// Requests of the first run; most of a run, and lives after which more would say no more.
constexpr double kFirstRequests = 1000, kMostRequests = 60000, kMostLives = 160;
// A run that was too short is followed by one of so many lives.
constexpr double kWantedLives = 1.3 * kSureLives;
// By how much it may be longer than the one before: the life of a request is not yet known well.
constexpr double kMostLonger = 8, kLeastLonger = 2;
// Requests of a saturated run, for each that is in flight: several waves of requests that all began together.
constexpr double kWaves = 6;
constexpr double kLeastSaturated = 500, kMostSaturated = 30000;

// Whether some limit is missed by more than the run leaves open.
bool surely_misses(const ServiceLevel& level, const RunFigures& figures) {
  if (figures.batches == 0) return false;
  RunFigures kept = figures;
  kept.length.steadiness = Steadiness::Steady;  // of the limits alone
  for (const LimitUse& use : limit_uses(level, kept)) {
    const bool share = use.name.starts_with("goodput_share");
    const double nearest = share ? use.high : use.low;
    if (nearest > 0 && (share ? nearest < use.limit : nearest > use.limit)) return true;
  }
  return false;
}

}  // namespace

RunFigures run_until_steady(FleetRun& fleet, const PlanRequest& request, const Workload& own,
                            const ServiceLevel& level, const RunQuestion& question) {
  const bool alone = fleet.one_says_all(own);
  const std::size_t take = alone ? fleet.own_turn() : 1, of = alone ? fleet.whole_turn() : 1;
  const double of_all = double(of) / double(take);
  double count = kFirstRequests;
  for (;;) {
    const auto all = std::int64_t(std::ceil(count * of_all));
    const Workload workload = share_of(plan_workload(request, all, question.rate), take, of);
    const SimulationResult result =
        fleet.run(workload, {.step_time = question.step_time, .alone = alone});
    RunFigures figures = figures_of_steady_run(result, workload, level, of_all, fleet.energy(result));
    const RunLength& length = figures.length;
    if (length.steadiness == Steadiness::Steady || length.steadiness == Steadiness::Growing ||
        surely_misses(level, figures) || count >= kMostRequests || length.lives >= kMostLives)
      return figures;
    const double wanted = kWantedLives / std::max(length.lives, kWantedLives / kMostLonger);
    count = std::min(kMostRequests, count * std::max(kLeastLonger, wanted));
  }
}

RunFigures run_saturated(FleetRun& fleet, const PlanRequest& request, double in_flight,
                         StepTime step_time) {
  const double count = std::clamp(kWaves * in_flight, kLeastSaturated, kMostSaturated);
  Workload workload = plan_workload(request, std::int64_t(count));
  for (WorkloadRequest& each : workload.requests) each.arrival = SimTime();
  const SimulationResult result = fleet.run(workload, {.step_time = step_time, .patient = true});
  RunFigures figures;
  figures.metrics = result.metrics;
  figures.metrics.request_throughput = served_while_waiting(result.requests);
  return figures;
}

}  // namespace warploom
