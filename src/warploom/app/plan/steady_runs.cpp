#include "warploom/app/plan/steady_runs.h"

#include <algorithm>
#include <cmath>

#include "warploom/app/plan/plan_load.h"
#include "warploom/app/plan/run_figures_of.h"
#include "warploom/planner/saturation.h"

namespace warploom {
namespace {

// A first run computes about so many tokens, and a thorough one, with so many requests.
constexpr double kFirstTokens = 1e6, kLeastFirst = 400, kMostFirst = 4000;
constexpr double kThoroughTokens = 3e7, kMostThorough = 30000;
// Most of a run, and lives after which more would say no more.
constexpr double kMostRequests = 60000, kMostLives = 160;
// A run whose interval holds a limit goes on up to so many, unless the interval is narrower than that limit's
// share beside it: then the figure is as good as the limit.
constexpr double kClearRequests = 10000, kClearWidth = 0.02;
// A run that was too short is followed by one of so many lives.
constexpr double kWantedLives = 1.3 * kSureLives;
// By how much it may be longer than the one before: the life of a request is not yet known well.
constexpr double kMostLonger = 8, kLeastLonger = 2;
// Where a run that is at least kLeastLonger as long holds hardly more lives than the one before, which had
// seen a life whole, lives get longer with the run: the fleet falls behind.
constexpr double kMoreLives = 1.25, kWholeLives = 2;
// Requests of a saturated run, for each that is in flight: several waves of requests that all began together.
constexpr double kWaves = 4;
constexpr double kLeastSaturated = 500, kMostSaturated = 30000;

// What a run says of the limits, whether or not the fleet keeps up: one is missed by more than the length of
// the run leaves open, all are kept by more, or neither.
enum class Said { Missed, Kept, Nothing };
Said said_of_limits(const ServiceLevel& level, const RunFigures& figures) {
  if (figures.batches == 0) return Said::Nothing;
  RunFigures alone = figures;
  alone.length.steadiness = Steadiness::Steady;
  bool open = false;
  for (const LimitUse& use : limit_uses(level, alone)) {
    if (!(use.high > use.low)) continue;
    if (use.use > 1 && (use.low > use.limit || use.high < use.limit)) return Said::Missed;
    const bool inside = use.low <= use.limit && use.limit <= use.high;
    open = open || (inside && use.high - use.low > 2 * kClearWidth * use.limit);
  }
  return open ? Said::Nothing : Said::Kept;
}

bool is_enough(const ServiceLevel& level, const RunFigures& figures, double count) {
  const RunLength& length = figures.length;
  if (length.steadiness == Steadiness::Growing || count >= kMostRequests || length.lives >= kMostLives)
    return true;
  const Said said = said_of_limits(level, figures);
  if (said == Said::Missed) return true;
  return length.steadiness == Steadiness::Steady && (said == Said::Kept || count >= kClearRequests);
}

double first_count(const Workload& workload, bool thorough) {
  double tokens = 0;
  for (const WorkloadRequest& each : workload.requests)
    tokens += double(each.input_tokens) + double(each.output_tokens);
  tokens /= double(workload.requests.size());
  return thorough ? std::clamp(kThoroughTokens / tokens, kLeastFirst, kMostThorough)
                  : std::clamp(kFirstTokens / tokens, kLeastFirst, kMostFirst);
}

}  // namespace

RunFigures run_until_steady(FleetRun& fleet, const PlanRequest& request, const Workload& own,
                            const ServiceLevel& level, const RunQuestion& question) {
  const bool alone = fleet.one_says_all(own);
  const std::size_t take = alone ? fleet.own_turn() : 1, of = alone ? fleet.whole_turn() : 1;
  const double of_all = double(of) / double(take);
  double count = first_count(own, question.thorough), before = 0;
  for (;;) {
    const auto all = std::int64_t(std::ceil(count * of_all));
    const Workload workload = share_of(plan_workload(request, all, question.rate), take, of);
    const SimulationResult result = fleet.run(workload, {.step_time = question.step_time, .alone = alone});
    RunFigures figures = figures_of_steady_run(result, workload, level, of_all, fleet.energy(result));
    const bool lengthens =
        before > kWholeLives && figures.length.lives < std::min(kLeastLives, kMoreLives * before);
    if (lengthens) figures.length.steadiness = Steadiness::Growing;
    before = figures.length.lives;
    if (is_enough(level, figures, count)) return figures;
    const double wanted = kWantedLives / std::max(figures.length.lives, kWantedLives / kMostLonger);
    count = std::min(kMostRequests, count * std::max(kLeastLonger, wanted));
  }
}

RunFigures run_saturated(FleetRun& fleet, const PlanRequest& request, double in_flight, StepTime step_time) {
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
