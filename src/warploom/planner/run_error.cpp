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
  for (Seconds* value :
       {&summary.mean, &summary.median, &summary.std, &summary.p50, &summary.p90, &summary.p95, &summary.p99})
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

void lengthen_by_run_error(const ServiceLevel& level, RunFigures& figures) {
  add_run_error(figures.metrics);
  for (std::size_t i = 0; i < level.limits.size() && i < figures.errors.size(); ++i)
    figures.errors[i] *= margin_factor(level.limits[i].metric);
}

ServiceLevel less_run_error(ServiceLevel level) {
  for (SloLimit& limit : level.limits) limit.limit = limit.limit / margin_factor(limit.metric);
  const auto shorten_all = [](Slo& slo) {
    shorten(slo.ttft, LatencyMetric::Ttft);
    shorten(slo.tpot, LatencyMetric::Tpot);
    shorten(slo.e2el, LatencyMetric::E2el);
  };
  shorten_all(level.goodput);
  for (ClassLimits& each : level.classes) shorten_all(each.limits);
  return level;
}

}  // namespace warploom
