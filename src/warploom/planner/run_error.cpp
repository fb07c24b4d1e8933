#include "warploom/planner/run_error.h"

#include <cmath>

namespace warploom {
namespace {

double margin_factor(LatencyMetric metric) {
  switch (metric) {
    case LatencyMetric::Ttft:
      return std::exp(kTtftMargin);
    case LatencyMetric::Tpot:
    case LatencyMetric::Itl:
      return std::exp(kTpotMargin);
    case LatencyMetric::E2el:
      return std::exp(kE2elMargin);
  }
  return 1;
}

void lengthen(LatencySummary& summary, double factor) {
  for (Seconds* value : {&summary.mean, &summary.median, &summary.std, &summary.p50, &summary.p90,
                         &summary.p95, &summary.p99})
    *value = *value * factor;
}

void shorten(std::optional<Seconds>& limit, LatencyMetric metric) {
  if (limit) *limit = *limit / margin_factor(metric);
}

}  // namespace

void add_run_error(ServingMetrics& metrics) {
  lengthen(metrics.ttft, margin_factor(LatencyMetric::Ttft));
  lengthen(metrics.tpot, margin_factor(LatencyMetric::Tpot));
  lengthen(metrics.itl, margin_factor(LatencyMetric::Itl));
  lengthen(metrics.e2el, margin_factor(LatencyMetric::E2el));
}

ServiceLevel less_run_error(ServiceLevel level) {
  for (SloLimit& limit : level.limits) limit.limit = limit.limit / margin_factor(limit.metric);
  shorten(level.goodput.ttft, LatencyMetric::Ttft);
  shorten(level.goodput.tpot, LatencyMetric::Tpot);
  shorten(level.goodput.e2el, LatencyMetric::E2el);
  return level;
}

}  // namespace warploom
