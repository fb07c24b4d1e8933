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
// One request in a hundred, of a kind that comes in rare gatherings, is not seen in fewer.
constexpr double kMostThoroughOfP99 = 100000;
// Most of a run that is not thorough, and lives after which one that is still not steady never will be.
constexpr double kMostRequests = 60000, kMostLives = 160;
// A run whose interval holds a limit goes on up to so many, unless the interval is narrower than that limit's
// share beside it: then the figure is as good as the limit.
constexpr double kClearRequests = 20000, kClearWidth = 0.02;
// A run that was too short is followed by one of so many lives.
constexpr double kWantedLives = 1.3 * kSureLives;
// By how much it may be longer than the one before: the life of a request is not yet known well.
constexpr double kMostLonger = 8, kLeastLonger = 2;
// Where a run that is at least kLeastLonger as long holds hardly more lives than the one before, which had
// seen a life whole, lives get longer with the run: the fleet falls behind.
constexpr double kMoreLives = 1.25, kWholeLives = 2;
// A run after a crowd is looked at in its second half: a crowd of no more than the first leaves that half to
// the load. Of a fleet with more places an eighth of the run comes at once. The half is by definition; the
// eighth is chosen, not fitted: more of a short run waits behind its own prompts.
constexpr std::size_t kRunsOfACrowd = 2, kRunsOfAPartOfACrowd = 8;
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

bool is_enough(const ServiceLevel& level, const RunFigures& figures, double count, bool fixed) {
  const RunLength& length = figures.length;
  if (length.steadiness == Steadiness::Growing || count >= kMostRequests) return true;
  if (fixed) return length.steadiness == Steadiness::Steady || length.lives >= kMostLives;
  const Said said = said_of_limits(level, figures);
  if (said == Said::Missed) return true;
  if (length.steadiness != Steadiness::Steady) return length.lives >= kMostLives;
  // What neither keeps nor misses the limits for certain would be decided by the draw.
  return said == Said::Kept || count >= kClearRequests;
}

double most_thorough(const ServiceLevel& level) {
  const bool p99 = std::any_of(level.limits.begin(), level.limits.end(), [](const SloLimit& limit) {
    return limit.statistic == LatencyStatistic::P99;
  });
  return p99 ? kMostThoroughOfP99 : kMostThorough;
}

double first_count(const Workload& workload, const ServiceLevel& level, bool thorough) {
  double tokens = 0;
  for (const WorkloadRequest& each : workload.requests)
    tokens += double(each.input_tokens) + double(each.output_tokens);
  tokens /= double(workload.requests.size());
  return thorough ? std::clamp(kThoroughTokens / tokens, kLeastFirst, most_thorough(level))
                  : std::clamp(kFirstTokens / tokens, kLeastFirst, kMostFirst);
}

// The first `count` requests come at once, the others as they follow the last of them.
void crowd(Workload& workload, std::size_t count) {
  count = std::min(count, workload.requests.size());
  if (count == 0) return;
  const SimTime last = workload.requests[count - 1].arrival;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    SimTime& arrival = workload.requests[i].arrival;
    arrival = i < count ? SimTime() : SimTime() + (arrival - last);
  }
}

template <class Values>
void drop_first(Values& values, std::size_t count) {
  values.erase(values.begin(), values.begin() + std::ptrdiff_t(std::min(count, values.size())));
}

// Without its first half of requests.
void keep_second_half(Workload& workload, SimulationResult& result) {
  const std::size_t half = workload.requests.size() / 2;
  drop_first(workload.requests, half);
  drop_first(workload.groups, half);
  drop_first(result.requests, half);
}

// How much of a whole load is simulated.
struct Share {
  bool alone = false;
  std::size_t take = 1, of = 1;
  double of_all() const { return double(of) / double(take); }
};
Share share_of_fleet(const FleetRun& fleet, const Workload& own) {
  if (!fleet.one_says_all(own)) return {};
  return {true, fleet.own_turn(), fleet.whole_turn()};
}

// So many requests of the part that is simulated.
Workload part_of_load(const PlanRequest& request, const Share& share, double count, double rate) {
  const auto all = std::int64_t(std::ceil(count * share.of_all()));
  return share_of(plan_workload(request, all, rate), share.take, share.of);
}

}  // namespace

RunFigures run_until_steady(FleetRun& fleet, const PlanRequest& request, const Workload& own,
                            const ServiceLevel& level, const RunQuestion& question) {
  const Share share = share_of_fleet(fleet, own);
  const bool fixed = question.requests > 0;
  double count =
      fixed ? double(question.requests) : first_count(own, level, question.kind == RunKind::Thorough);
  double before = 0;
  for (;;) {
    const Workload workload = part_of_load(request, share, count, question.rate);
    const SimulationResult result =
        fleet.run(workload, {.step_time = question.step_time, .alone = share.alone});
    RunFigures figures = figures_of_steady_run(result, workload, level, share.of_all(), fleet.energy(result));
    const bool lengthens =
        before > kWholeLives && figures.length.lives < std::min(kLeastLives, kMoreLives * before);
    if (lengthens) figures.length.steadiness = Steadiness::Growing;
    before = figures.length.lives;
    if (is_enough(level, figures, count, fixed)) return figures;
    const double wanted = kWantedLives / std::max(figures.length.lives, kWantedLives / kMostLonger);
    count = std::min(kMostRequests, count * std::max(kLeastLonger, wanted));
  }
}

std::size_t crowd_of(std::size_t in_flight, std::size_t requests) {
  return in_flight <= requests / kRunsOfACrowd ? in_flight : requests / kRunsOfAPartOfACrowd;
}

RunFigures run_after_crowd(FleetRun& fleet, const PlanRequest& request, const Workload& own,
                           const ServiceLevel& level, const RunQuestion& question, double in_flight) {
  const Share share = share_of_fleet(fleet, own);
  const double count = first_count(own, level, true);
  Workload workload = part_of_load(request, share, count, question.rate);
  crowd(workload, crowd_of(std::size_t(in_flight / share.of_all()), workload.requests.size()));
  SimulationResult result = fleet.run(workload, {.step_time = question.step_time, .alone = share.alone});
  keep_second_half(workload, result);
  RunFigures figures = figures_of_steady_run(result, workload, level, share.of_all(), fleet.energy(result));
  // Whether it keeps up for good is another run's question, which is longer than this half.
  if (figures.length.steadiness != Steadiness::Growing) figures.length.steadiness = Steadiness::Steady;
  return figures;
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
