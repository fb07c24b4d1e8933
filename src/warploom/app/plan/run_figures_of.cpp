#include "warploom/app/plan/run_figures_of.h"

#include <algorithm>

namespace warploom {
namespace {

// The figure of one request that the limit looks at; 0 where it has none.
double figure_of_request(const SloLimit& limit, const RequestRecord& record) {
  switch (limit.metric) {
    case LatencyMetric::Ttft:
      return record.ttft().seconds().value();
    case LatencyMetric::Tpot:
      return record.tpot().value();
    case LatencyMetric::E2el:
      return record.e2el().seconds().value();
    case LatencyMetric::Itl:
      return 0;
  }
  return 0;
}

// Mean TTFT of the last third of the requests over that of the first third.
double backlog_growth(const std::vector<RequestRecord>& records) {
  const std::size_t third = records.size() / 3;
  if (third == 0) return 1;
  double first = 0, last = 0;
  for (std::size_t i = 0; i < third; ++i) {
    first += records[i].ttft().seconds().value();
    last += records[records.size() - 1 - i].ttft().seconds().value();
  }
  return first > 0 ? last / first : 1;
}

// Of the class's requests: those that meet its limits; 1 where it has none.
double class_share(const SimulationResult& result, const Workload& workload, const ClassLimits& limits) {
  const auto place = std::find(workload.classes.begin(), workload.classes.end(), limits.name);
  std::vector<RequestRecord> own;
  for (std::size_t i = 0; i < workload.groups.size(); ++i)
    if (workload.groups[i].slo_class == place - workload.classes.begin()) own.push_back(result.requests[i]);
  return own.empty() ? 1 : double(requests_meeting(limits.limits, own)) / double(own.size());
}

}  // namespace

RunFigures run_figures_of(const SimulationResult& result, const Workload& workload,
                          const ServiceLevel& level) {
  RunFigures figures;
  figures.metrics = result.metrics;
  figures.preemptions = result.preemptions;
  figures.over.assign(level.limits.size(), 0);
  double waited = 0, first_token = 0;
  for (const RequestRecord& record : result.requests) {
    if (!record.completed()) continue;
    waited += (record.scheduled - record.arrival).seconds().value();
    first_token += record.ttft().seconds().value();
    for (std::size_t i = 0; i < level.limits.size(); ++i)
      if (figure_of_request(level.limits[i], record) > level.limits[i].limit.value()) ++figures.over[i];
  }
  if (first_token > 0) figures.queue_share = std::min(1.0, waited / first_token);
  const auto requests = std::ssize(result.requests);
  if (level.has_goodput()) {
    const std::int64_t met = requests_meeting(level.goodput, result.requests);
    figures.missed_goodput = requests - met;
    figures.goodput_share = requests > 0 ? double(met) / double(requests) : 0;
  }
  for (const ClassLimits& each : level.classes)
    figures.class_shares.push_back(class_share(result, workload, each));
  if (result.metrics.failed == 0) figures.backlog_growth = backlog_growth(result.requests);
  return figures;
}

}  // namespace warploom
