#include "warploom/app/plan/run_figures_of.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "warploom/base/statistics.h"

namespace warploom {
namespace {

// A batch of fewer requests says nothing of a high quantile.
constexpr std::size_t kLeastInBatch = 20;
constexpr std::size_t kMostBatches = 20;

double at(SimTime time) { return time.seconds().value(); }

// A request that is judged, and the class that it belongs to.
struct Judged {
  const RequestRecord* record = nullptr;
  std::uint16_t slo_class = kNoGroup;
};

// The figure of one request that the limit looks at; nothing where it has none. Gaps between tokens are not
// kept by request: they vary as TPOT does.
std::optional<double> figure_of_request(const SloLimit& limit, const RequestRecord& record) {
  switch (limit.metric) {
    case LatencyMetric::Ttft:
      return record.ttft().seconds().value();
    case LatencyMetric::Tpot:
    case LatencyMetric::Itl:
      if (record.output_tokens < 2) return std::nullopt;
      return record.tpot().value();
    case LatencyMetric::E2el:
      return record.e2el().seconds().value();
  }
  return std::nullopt;
}

std::vector<double> values_over(const SloLimit& limit, std::span<const Judged> requests) {
  std::vector<double> values;
  for (const Judged& each : requests)
    if (each.record->completed())
      if (const auto value = figure_of_request(limit, *each.record)) values.push_back(*value);
  return values;
}

double statistic_over(const SloLimit& limit, std::span<const Judged> requests) {
  std::vector<double> values = values_over(limit, requests);
  if (values.empty()) return 0;
  if (limit.statistic == LatencyStatistic::Mean) return mean(values);
  return quantile(std::move(values), fraction_of(limit.statistic));
}

// Share of those of a class (of any: kNoGroup) that meet the limits; 1 where there are none.
double share_over(const Slo& limits, std::uint16_t slo_class, std::span<const Judged> requests) {
  std::int64_t met = 0, all = 0;
  for (const Judged& each : requests) {
    if (slo_class != kNoGroup && each.slo_class != slo_class) continue;
    ++all;
    met += requests_meeting(limits, std::span(each.record, 1));
  }
  return all > 0 ? double(met) / double(all) : 1;
}

std::uint16_t place_of(const Workload& workload, const std::string& name) {
  const auto found = std::find(workload.classes.begin(), workload.classes.end(), name);
  return std::uint16_t(found - workload.classes.begin());
}

// Every figure that the level looks at, in the order of RunFigures::errors.
std::vector<double> level_figures(const ServiceLevel& level, const Workload& workload,
                                  std::span<const Judged> requests) {
  std::vector<double> figures;
  for (const SloLimit& limit : level.limits) figures.push_back(statistic_over(limit, requests));
  if (level.has_goodput()) figures.push_back(share_over(level.goodput, kNoGroup, requests));
  for (const ClassLimits& each : level.classes)
    figures.push_back(share_over(each.limits, place_of(workload, each.name), requests));
  return figures;
}

std::span<const Judged> section_of(std::span<const Judged> requests, std::size_t i, std::size_t sections) {
  const std::size_t first = i * requests.size() / sections, last = (i + 1) * requests.size() / sections;
  return requests.subspan(first, last - first);
}

// The error of a quantile by that of its rank. Where latencies are of two kinds, of short and of long steps,
// a few more long ones move a quantile from one kind to the other, which sections may not show.
double rank_error(const SloLimit& limit, std::span<const Judged> requests, double figure,
                  std::size_t sections) {
  if (limit.statistic == LatencyStatistic::Mean) return 0;
  std::vector<double> shares;
  for (std::size_t i = 0; i < sections; ++i) {
    const std::vector<double> values = values_over(limit, section_of(requests, i, sections));
    const auto below = std::count_if(values.begin(), values.end(), [&](double v) { return v <= figure; });
    shares.push_back(values.empty() ? 1 : double(below) / double(values.size()));
  }
  const double fraction = fraction_of(limit.statistic), wide = student_t(kNormal995, sections - 1);
  const double rank = std::min(1.0, fraction + wide * section_error(fraction, shares));
  std::vector<double> values = values_over(limit, requests);
  return values.empty() ? 0 : (quantile(std::move(values), rank) - figure) / wide;
}

// Standard errors by sections of at least a life each, in order of arrival.
void add_errors(RunFigures& figures, const ServiceLevel& level, const Workload& workload,
                std::span<const Judged> requests) {
  const auto batches = std::min(
      {kMostBatches, requests.size() / kLeastInBatch, std::size_t(std::max(0.0, figures.length.lives))});
  if (batches < std::size_t(kLeastLives)) return;
  const std::vector<double> whole = level_figures(level, workload, requests);
  std::vector<std::vector<double>> parts(whole.size());
  for (std::size_t i = 0; i < batches; ++i) {
    const auto own = level_figures(level, workload, section_of(requests, i, batches));
    for (std::size_t k = 0; k < own.size(); ++k) parts[k].push_back(own[k]);
  }
  figures.batches = std::int64_t(batches);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    figures.errors.push_back(section_error(whole[k], parts[k]));
    if (k < level.limits.size())
      figures.errors[k] =
          std::max(figures.errors[k], rank_error(level.limits[k], requests, whole[k], batches));
  }
}

// In order of arrival; those that never reached an engine have no stay.
std::vector<Judged> in_order(const SimulationResult& result, const Workload& workload) {
  std::vector<Judged> requests;
  for (std::size_t i = 0; i < result.requests.size(); ++i)
    requests.push_back(
        {&result.requests[i], workload.groups.empty() ? kNoGroup : workload.groups[i].slo_class});
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Judged& a, const Judged& b) { return a.record->arrival < b.record->arrival; });
  return requests;
}

template <class Until>
std::vector<Stay> stays_of(std::span<const Judged> requests, const Until& until) {
  std::vector<Stay> stays;
  for (const Judged& each : requests) {
    const RequestRecord& record = *each.record;
    if (record.rejected || record.turned_away || record.replica < 0) continue;
    stays.push_back({at(record.arrival), std::max(at(record.arrival), at(until(record)))});
  }
  return stays;
}

// What leaves early was there until it did something last.
SimTime left(const RequestRecord& record) {
  return record.tokens_emitted > 0 ? record.last_token : std::max(record.queued, record.scheduled);
}

void set_length(RunLength& length, const SteadyTest& test) {
  length.steadiness = test.verdict;
  length.window = Seconds(test.end - test.begin);
  length.lives = test.lives;
  length.growth = test.growth;
  length.growth_low = test.growth_low;
  length.growth_high = test.growth_high;
}

void add_counts(RunFigures& figures, const ServiceLevel& level, const Workload& workload,
                std::span<const Judged> requests) {
  figures.over.assign(level.limits.size(), 0);
  double waited = 0, first_token = 0;
  std::int64_t met = 0;
  for (const Judged& each : requests) {
    const RequestRecord& record = *each.record;
    if (level.has_goodput()) met += requests_meeting(level.goodput, std::span(each.record, 1));
    if (!record.completed()) continue;
    waited += (record.scheduled - record.arrival).seconds().value();
    first_token += record.ttft().seconds().value();
    for (std::size_t i = 0; i < level.limits.size(); ++i) {
      if (level.limits[i].metric == LatencyMetric::Itl) continue;
      const auto figure = figure_of_request(level.limits[i], record);
      if (figure && *figure > level.limits[i].limit.value()) ++figures.over[i];
    }
  }
  if (first_token > 0) figures.queue_share = std::min(1.0, waited / first_token);
  if (level.has_goodput()) {
    figures.missed_goodput = std::ssize(requests) - met;
    figures.goodput_share = requests.empty() ? 0 : double(met) / double(requests.size());
  }
  for (const ClassLimits& each : level.classes)
    figures.class_shares.push_back(share_over(each.limits, place_of(workload, each.name), requests));
}

// What left between two times.
void set_served(ServingMetrics& metrics, std::span<const Judged> requests, double begin, double end,
                double of_all) {
  std::int64_t completed = 0, input = 0, output = 0;
  for (const Judged& each : requests) {
    const RequestRecord& record = *each.record;
    if (!record.completed() || at(record.last_token) < begin || at(record.last_token) >= end) continue;
    ++completed;
    input += record.input_tokens;
    output += record.output_tokens;
  }
  const double share = of_all / (end - begin);
  metrics.duration = Seconds(end - begin);
  metrics.completed = std::llround(double(completed) * of_all);
  metrics.failed = std::llround(double(metrics.failed) * of_all);
  metrics.total_input_tokens = std::llround(double(input) * of_all);
  metrics.total_output_tokens = std::llround(double(output) * of_all);
  metrics.request_throughput = double(completed) * share;
  metrics.output_throughput = double(output) * share;
  metrics.total_token_throughput = double(input + output) * share;
}

}  // namespace

RunFigures figures_of_finite_run(const SimulationResult& result, const Workload& workload,
                                 const ServiceLevel& level, bool drawn) {
  const std::vector<Judged> requests = in_order(result, workload);
  RunFigures figures;
  figures.metrics = result.metrics;
  figures.preemptions = result.preemptions;
  add_counts(figures, level, workload, requests);
  const SteadyTest there = test_steadiness(stays_of(requests, left));
  set_length(figures.length, there);
  figures.length.finite = true;
  figures.length.requests = figures.length.simulated = std::ssize(requests);
  if (!drawn && there.verdict != Steadiness::TooShort) {
    const double life = there.lives > 0 ? (there.end - there.begin) / there.lives : 0;
    const auto scheduled = [](const RequestRecord& record) {
      return record.was_scheduled ? record.scheduled : left(record);
    };
    const SteadyTest waiting = test_steadiness(stays_of(requests, scheduled), life);
    const bool grows = waiting.verdict == Steadiness::Growing && waiting.growth > kSteadyGrowth;
    if (grows)
      set_length(figures.length, waiting);
    else if (there.verdict == Steadiness::Growing)
      figures.length.steadiness = Steadiness::Unsettled;
  }
  add_errors(figures, level, workload, requests);
  return figures;
}

RunFigures figures_of_steady_run(const SimulationResult& result, const Workload& workload,
                                 const ServiceLevel& level, double of_all, double joules) {
  const std::vector<Judged> requests = in_order(result, workload);
  const SteadyTest test = test_steadiness(stays_of(requests, left));
  RunFigures figures;
  set_length(figures.length, test);
  figures.length.simulated = std::ssize(requests);
  figures.length.requests = std::llround(double(requests.size()) * of_all);
  const double life = test.lives > 0 ? (test.end - test.begin) / test.lives : 0;
  const double end = test.lives >= kLeastLives ? test.end - life : test.end;
  std::vector<Judged> judged;
  std::vector<RequestRecord> records;
  for (const Judged& each : requests) {
    const double arrival = at(each.record->arrival);
    if (arrival < test.begin || arrival > end) continue;
    judged.push_back(each);
    records.push_back(*each.record);
  }
  figures.metrics = metrics_of(records, LatencyHistogram());
  figures.metrics.itl = result.metrics.itl;
  figures.metrics.max_output_tokens_per_s = result.metrics.max_output_tokens_per_s * of_all;
  figures.metrics.max_concurrent_requests =
      std::llround(double(result.metrics.max_concurrent_requests) * of_all);
  figures.preemptions = std::llround(double(result.preemptions) * of_all);
  add_counts(figures, level, workload, judged);
  add_errors(figures, level, workload, judged);
  const double output = double(result.metrics.total_output_tokens);
  if (test.end > test.begin) set_served(figures.metrics, requests, test.begin, test.end, of_all);
  if (output > 0) figures.energy_j = joules * double(figures.metrics.total_output_tokens) / output;
  return figures;
}

}  // namespace warploom
