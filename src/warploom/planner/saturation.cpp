#include "warploom/planner/saturation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "warploom/planner/steady_state.h"

namespace warploom {
namespace {

struct Emission {
  double first = 0, last = 0, tokens = 0;  // s
};

double tokens_between(std::span<const Emission> emissions, double begin, double end) {
  double tokens = 0;
  for (const Emission& each : emissions) {
    if (each.last <= begin || each.first >= end) continue;
    const double inside = std::min(each.last, end) - std::max(each.first, begin);
    tokens += each.last > each.first ? each.tokens * inside / (each.last - each.first) : each.tokens;
  }
  return tokens;
}

}  // namespace

double saturated_rate(const PlanTask& task, const ConfigurationModel& model,
                      const Configuration& configuration, const Fleet& fleet, StepTime step_time) {
  const bool rated = task.load.rate > 0 || task.find_max_rate;
  if (!rated || !task.load.drawn || task.autoscaling.on()) return std::numeric_limits<double>::infinity();
  const bool apart = configuration.decode.has_value();
  const RunFigures figures = model.run(configuration, apart ? fleet : Fleet{1, 0},
                                       {.step_time = step_time, .kind = RunKind::Saturated});
  // What cannot run at all says so in its own run.
  if (!figures.refused.empty()) return std::numeric_limits<double>::infinity();
  return figures.metrics.request_throughput * (apart ? 1 : double(fleet.instances));
}

double served_while_waiting(std::span<const RequestRecord> records) {
  std::vector<Emission> emissions;
  std::vector<double> ends;
  double scheduled = 0, tokens = 0, first = std::numeric_limits<double>::infinity(), last = 0;
  for (const RequestRecord& record : records) {
    if (!record.completed()) continue;
    const auto at = [](SimTime time) { return (time - SimTime()).seconds().value(); };
    // A request of one token has no time between its first and its last.
    const double begin = record.output_tokens > 1 ? at(record.first_token) : at(record.scheduled);
    emissions.push_back({begin, at(record.last_token), double(record.output_tokens)});
    ends.push_back(at(record.last_token));
    scheduled = std::max(scheduled, at(record.scheduled));
    tokens += double(record.output_tokens);
    first = std::min(first, at(record.arrival));
    last = std::max(last, ends.back());
  }
  if (ends.empty() || !(last > first)) return 0;
  const double mean_output = tokens / double(ends.size());
  const auto quarter = ends.begin() + std::ptrdiff_t(ends.size() / 4);
  std::nth_element(ends.begin(), quarter, ends.end());
  const double begin = *quarter, length = scheduled - begin;
  const double whole = tokens / (last - first);
  constexpr double kLeastPart = 0.2;  // of the run
  // A run that ends in a full wave serves up to this share more than one without an end: measured 1.2 % on
  // five models, lengths and GPUs.
  constexpr double kWholeRun = 0.98;
  if (length < kLeastPart * (last - first)) return whole / mean_output;
  std::array<double, 8> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double step = length / double(parts.size());
    parts[i] = tokens_between(emissions, begin + double(i) * step, begin + double(i + 1) * step) / step;
  }
  double mean = 0;
  for (const double part : parts) mean += part / double(parts.size());
  const double low = mean - student_t(kNormal95, parts.size() - 1) * section_error(mean, parts);
  return std::max(low, kWholeRun * whole) / mean_output;
}

bool is_far_from_full(const Configuration& configuration, const Screened& screened, const Fleet& fleet,
                      const RunFigures& figures) {
  const EngineBounds& engine = configuration.decode ? *screened.decode : screened.first;
  const double instances = double(configuration.decode ? fleet.decode : fleet.instances);
  return double(figures.metrics.max_concurrent_requests) <=
         kFarFromFull * engine.in_flight * engine.groups * instances;
}

bool is_sustained(const PlanTask& task, double rate, double saturated) {
  return rate * (1 - task.unserved_share) <= saturated;
}

LimitUse saturation_use(const PlanTask& task, double rate, double saturated) {
  const double served = rate * (1 - task.unserved_share);
  return {"saturated_request_rate", served, saturated, saturated > 0 ? served / saturated : served};
}

}  // namespace warploom
