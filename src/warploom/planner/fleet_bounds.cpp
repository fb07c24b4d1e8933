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

RentedGpus rented_of(const std::vector<RentedShare>& shares) {
  RentedGpus rented;
  for (const RentedShare& share : shares) {
    rented.first += share.rented.first;
    rented.decode += share.rented.decode;
    rented.nodes += share.rented.nodes;
  }
  return rented;
}

double dollars_of(const std::vector<RentedShare>& shares) {
  double dollars = 0;
  for (const RentedShare& share : shares) dollars += share.dollars;
  return dollars;
}

double store_rent(const PlanTask& task, const Configuration& configuration) {
  return configuration.shared_caches ? task.store_rent : 0;
}

double rent(const PlanTask& task, const Configuration& configuration, const Fleet& fleet) {
  return dollars_of(rented_shares(task.rent, configuration, fleet, {}, {})) + store_rent(task, configuration);
}

bool is_within_room(const PlanTask& task, const Configuration& configuration, const Fleet& fleet) {
  if (task.rooms.empty() || (task.max_power_kw <= 0 && task.max_racks <= 0)) return true;
  const FleetRoom room = room_of(task.rooms, configuration, fleet);
  // What is unknown was refused where it was asked for.
  const bool too_much = task.max_power_kw > 0 && room.power_kw.value_or(0) > task.max_power_kw;
  return !too_much && (task.max_racks <= 0 || room.racks.value_or(0) <= task.max_racks);
}

std::vector<Fleet> fleets_within(const PlanTask& task, const Configuration& configuration) {
  std::vector<Fleet> fleets =
      fleets_of(configuration, task.space.max_gpus, task.gpu_count, task.spare_instances,
                [&](const Fleet& fleet) { return rent(task, configuration, fleet); });
  std::erase_if(fleets, [&](const Fleet& fleet) { return !is_within_room(task, configuration, fleet); });
  return fleets;
}

double least_rent(const PlanTask& task, const Configuration& configuration, const Fleet& fleet) {
  if (!task.autoscaling.on()) return rent(task, configuration, fleet);
  return least_rent_of(task.rent, configuration, fleet, task.autoscaling.min_instances) +
         store_rent(task, configuration);
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
      return double(rented_of(rented_shares(task.rent, configuration, fleet, {}, {})).gpus());
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
