#include "warploom/planner/fleet_bounds.h"

#include <algorithm>
#include <limits>

namespace warploom {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double pool_rate(double groups, double instances, double seconds) {
  return seconds > 0 ? groups * instances / seconds : kUnbounded;
}

double per_token_of(const Screened& screened) {
  return screened.decode ? screened.decode->per_token : screened.first.per_token;
}

// s from arrival to the last token of a request of mean length.
double mean_latency(const Screened& screened, const LoadProfile& load) {
  return screened.first.first_token_at(0) + per_token_of(screened) * std::max(0.0, load.mean_output - 1);
}

}  // namespace

double most_rate(const Configuration& configuration, const Screened& screened, const Fleet& fleet) {
  const EngineBounds& first = screened.first;
  const double rate = pool_rate(first.groups, double(fleet.instances), first.seconds_per_request);
  if (!configuration.decode) return rate;
  return std::min(
      rate, pool_rate(screened.decode->groups, double(fleet.decode), screened.decode->seconds_per_request));
}

double least_figure(const SloLimit& limit, const Screened& screened, const LoadProfile& load) {
  const bool mean = limit.statistic == LatencyStatistic::Mean;
  const double fraction = mean ? 0 : fraction_of(limit.statistic);
  const double per_token = per_token_of(screened);
  switch (limit.metric) {
    case LatencyMetric::Ttft:
      return screened.first.first_token_at(fraction);
    // Requests of one token have no time per token.
    case LatencyMetric::Tpot:
      return load.outputs.front() > 1 ? per_token : 0;
    case LatencyMetric::Itl:
      return 0;  // drafts come several at once
    case LatencyMetric::E2el:
      return screened.first.first_token_at(0) +
             per_token * std::max(0.0, double(LoadProfile::at(load.outputs, fraction)) - 1);
  }
  return 0;
}

std::optional<std::string> missed_by_bound(const ServiceLevel& level, const Screened& screened,
                                           const LoadProfile& load) {
  for (const SloLimit& limit : level.limits)
    if (least_figure(limit, screened, load) > limit.limit.value()) return limit.name();
  const Slo& slo = level.goodput;
  if (slo.tpot && load.outputs.front() > 1 && per_token_of(screened) > slo.tpot->value())
    return "goodput tpot";
  if (slo.ttft && screened.first.first_token_at(level.goodput_share) > slo.ttft->value())
    return "goodput ttft";
  if (slo.e2el && screened.first.first_token_at(0) > slo.e2el->value()) return "goodput e2el";
  return std::nullopt;
}

double rent(const PlanTask& task, const Configuration& configuration, const Fleet& fleet) {
  const RentedGpus rented = rented_gpus(task.node_gpus, configuration, fleet);
  double dollars = task.gpu_hour_price[configuration.shape.gpu] * double(rented.first);
  if (configuration.decode) dollars += task.gpu_hour_price[configuration.decode->gpu] * double(rented.decode);
  return dollars;
}

double rent_of_run(const PlanTask& task, const Configuration& configuration, const Fleet& fleet,
                   const RunFigures& figures) {
  if (figures.held.empty()) return rent(task, configuration, fleet);
  double dollars = 0;
  const auto add = [&](std::size_t pool, const EngineShape& shape, std::int64_t instances) {
    for (std::size_t hour = 0; hour < kHoursOfDay; ++hour) {
      const double price =
          task.day_prices.empty() ? task.gpu_hour_price[shape.gpu] : task.day_prices[shape.gpu][hour];
      dollars += price * double(shape.gpus() * instances) * figures.held.at(pool * kHoursOfDay + hour);
    }
  };
  add(0, configuration.shape, fleet.instances);
  if (configuration.decode) add(1, *configuration.decode, fleet.decode);
  return dollars;
}

double least_rent(const PlanTask& task, const Configuration& configuration, const Fleet& fleet) {
  if (!task.autoscaling.on()) return rent(task, configuration, fleet);
  const std::int64_t least = task.autoscaling.min_instances;
  const auto pool = [&](const EngineShape& shape, std::int64_t instances) {
    double price = task.gpu_hour_price[shape.gpu];
    if (!task.day_prices.empty())
      price = *std::min_element(task.day_prices[shape.gpu].begin(), task.day_prices[shape.gpu].end());
    return price * double(shape.gpus() * std::min(least, instances));
  };
  return pool(configuration.shape, fleet.instances) +
         (configuration.decode ? pool(*configuration.decode, fleet.decode) : 0);
}

double served_at_most(const PlanTask& task, const Configuration& configuration, const Screened& screened,
                      const Fleet& fleet) {
  const double most = most_rate(configuration, screened, running(task, configuration, fleet));
  if (task.find_max_rate) return most;
  if (task.load.in_flight > 0) {
    const double latency = mean_latency(screened, task.load);
    return latency > 0 ? std::min(most, double(task.load.in_flight) / latency) : most;
  }
  return task.load.rate > 0 ? task.load.rate : most;
}

double least_objective(const PlanTask& task, const Configuration& configuration, const Screened& screened,
                       const Fleet& fleet) {
  const double served = served_at_most(task, configuration, screened, fleet);
  switch (task.objective) {
    case Objective::Cost:
      return least_rent(task, configuration, fleet) / served;
    case Objective::Gpus:
      return double(rented_gpus(task.node_gpus, configuration, fleet).gpus());
    case Objective::Throughput:
      return double(gpus_of(configuration, fleet)) / served;
    case Objective::Energy:
      return 0;
    case Objective::Latency:
      return mean_latency(screened, task.load);
  }
  return 0;
}

Fleet running(const PlanTask& task, const Configuration& configuration, const Fleet& paid) {
  return {paid.instances - task.spare_instances,
          configuration.decode ? paid.decode - task.spare_instances : 0};
}

}  // namespace warploom
