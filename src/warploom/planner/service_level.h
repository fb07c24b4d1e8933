// What a deployment must keep to: limits of latency at a statistic, and a share of requests that meet limits.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/planner/run_figures.h"
#include "warploom/serving/metrics.h"

namespace warploom {

enum class LatencyMetric { Ttft, Tpot, Itl, E2el };
template <>
struct EnumNames<LatencyMetric> {
  static constexpr std::array<std::pair<LatencyMetric, std::string_view>, 4> kNames{
      {{LatencyMetric::Ttft, "ttft"},
       {LatencyMetric::Tpot, "tpot"},
       {LatencyMetric::Itl, "itl"},
       {LatencyMetric::E2el, "e2el"}}};
};

enum class LatencyStatistic { Mean, P50, P90, P95, P99 };
template <>
struct EnumNames<LatencyStatistic> {
  static constexpr std::array<std::pair<LatencyStatistic, std::string_view>, 5> kNames{
      {{LatencyStatistic::Mean, "mean"},
       {LatencyStatistic::P50, "p50"},
       {LatencyStatistic::P90, "p90"},
       {LatencyStatistic::P95, "p95"},
       {LatencyStatistic::P99, "p99"}}};
};
// 0.95 of P95; 0.5 of the mean, whose rank is not fixed.
double fraction_of(LatencyStatistic statistic);

struct SloLimit {
  LatencyMetric metric = LatencyMetric::Ttft;
  LatencyStatistic statistic = LatencyStatistic::P95;
  Seconds limit;
  std::string name() const;  // "ttft_p95_ms"
};

// Limits of one request of a class, which `goodput_share` of the class's requests must meet.
struct ClassLimits {
  std::string name;
  Slo limits;
};

struct ServiceLevel {
  std::vector<SloLimit> limits;
  Slo goodput;                       // of one request
  double goodput_share = 0.95;       // of the requests must meet it
  std::vector<ClassLimits> classes;  // of a workload of clients
  bool has_goodput() const { return goodput.ttft || goodput.tpot || goodput.e2el; }
  bool empty() const { return limits.empty() && classes.empty() && !has_goodput(); }
};

// "ttft_p95_ms=800", several in one text with commas between. Throws InvalidInput "slo: ..." on an unknown
// name, a value that is no time above 0, and a limit that is given twice.
std::vector<SloLimit> parse_limits(std::span<const std::string> texts);
// "ttft:500", in ms, several with commas between. Throws InvalidInput "goodput: ...".
Slo parse_goodput_limits(std::span<const std::string> texts);

Seconds figure_of(const SloLimit& limit, const ServingMetrics& metrics);

// How much of a limit a run uses: at most 1 where it is kept. `figure` and `limit` in ms, or shares. A run of
// another part of the same load has its figure between `low` and `high` in 99 of 100 cases; both 0 where the
// run is too short to tell.
struct LimitUse {
  std::string name;
  double figure = 0, limit = 0, use = 0;
  double low = 0, high = 0;
};
inline constexpr std::string_view kBacklogGrowth = "backlog_growth_share";

// In the order of the level, then the share of requests, then those of classes. Last "backlog_growth_share",
// of the arrivals, where the run does not show that the fleet keeps up.
std::vector<LimitUse> limit_uses(const ServiceLevel& level, const RunFigures& figures);
// The same with every figure at the end of its interval that nine in ten runs do not exceed.
std::vector<LimitUse> sure_limit_uses(const ServiceLevel& level, const RunFigures& figures);
// Whether the run says that the fleet falls behind: what is in the system grows; of an endless load also that
// nothing could be said.
bool falls_behind(const RunFigures& figures);
// The highest use; 0 without limits.
LimitUse binding_limit(const ServiceLevel& level, const RunFigures& figures);

}  // namespace warploom
