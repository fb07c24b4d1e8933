// What a search is asked, and what it finds.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warploom/planner/configuration_model.h"
#include "warploom/planner/load_profile.h"
#include "warploom/planner/node_room.h"
#include "warploom/planner/rent.h"
#include "warploom/planner/search_space.h"
#include "warploom/planner/service_level.h"
#include "warploom/serving/cluster/autoscaling.h"

namespace warploom {

enum class Objective { Cost, Gpus, Throughput, Energy, Latency };
template <>
struct EnumNames<Objective> {
  static constexpr std::array<std::pair<Objective, std::string_view>, 5> kNames{
      {{Objective::Cost, "cost"},
       {Objective::Gpus, "gpus"},
       {Objective::Throughput, "throughput"},
       {Objective::Energy, "energy"},
       {Objective::Latency, "latency"}}};
};

struct PlanProgress {
  std::int64_t done = 0, total = 0;  // configurations
  std::string_view stage;            // "screened" or "decided"
};

class PlanCrew;

struct PlanTask {
  SearchSpace space;
  bool mixture = false;  // the model has experts
  ServiceLevel level;
  Objective objective = Objective::Cost;
  LoadProfile load;
  std::vector<RentPart> rent{RentPart{}};  // how GPUs are rented: at least one part
  std::vector<NodeRoom> rooms;             // of each GPU of the space; empty: nobody asks
  double max_power_kw = 0;                 // of all nodes of a deployment; 0: no limit
  std::int64_t max_racks = 0;              // that they stand in; 0: no limit
  double power_price = 0;                  // $ per kWh, on top
  double store_rent = 0;                   // $ per hour of the store that instances share
  std::int64_t gpu_count = 0;              // exactly so many GPUs; 0: as few as it takes
  bool find_max_rate = false;              // the highest rate in place of the load's own
  std::int64_t spare_instances = 0;        // of each pool: paid for, and missing in the runs
  double unserved_share = 0;               // of the requests may be turned away or time out
  // On: a fleet is the most that a pool grows to, and what it holds is paid for.
  AutoscalingConfig autoscaling;
  bool fronts = true;        // also what only a front needs
  bool every_point = false;  // also the least fleets of configurations that are no better than others
  bool exhaustive = false;   // nothing is left out by a bound or a short run
  // Draws of the load that judge finalists, and every fleet of which one draw leaves it open; 1: one decides.
  std::int64_t draws = 1;
  std::int64_t finalists = 1;  // points, the best first, that all draws judge
  std::size_t threads = 0;
  double time_limit = 0;     // s; 0: none
  PlanCrew* crew = nullptr;  // others that search with this process; null: it is alone
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const PlanProgress&)> on_progress;  // by one thread at a time
};

// A figure over several draws of the load; in ms, or a share.
struct DrawnFigure {
  std::string name;  // as LimitUse has it
  double low = 0, mean = 0, high = 0;
  double sure = 0;   // the end of the mean's interval that nine in ten sets of draws do not exceed
  double limit = 0;  // 0: nobody limits it
  bool kept = true;  // the limit, at that end
};

// Instances that the least and the most demanding of the draws would have bought alone, pools together.
struct InstanceSpread {
  std::int64_t low = 0, high = 0;
};

struct LoadSpread {
  std::int64_t draws = 0;
  std::vector<DrawnFigure> figures;         // those of the limits, then TTFT and TPOT, mean and p95
  std::optional<InstanceSpread> instances;  // of the best alone
};

// A configuration with the least fleet that meets the level.
struct PlanPoint {
  Configuration configuration;
  Fleet fleet;
  std::int64_t gpus = 0;
  RentedGpus rented;                      // what is paid for: no fewer
  std::vector<RentedShare> shares;        // of it, by the parts of the rent
  std::optional<FleetRoom> room;          // where it was asked
  RunFigures figures;                     // kernels at p50
  std::optional<RunFigures> pessimistic;  // kernels at p90 and what runs err beyond them, where it was asked
  bool confident = false;                 // that run meets the level too
  // What draws of the load say at both, where several decided.
  std::optional<LoadSpread> spread, pessimistic_spread;
  bool median_least = true;   // the least fleet at p50; false: the least at p90
  double rate = 0;            // requests/s that come, and that it keeps up with
  double saturated_rate = 0;  // requests/s that it serves while requests always wait; 0: unknown
  double dollars_per_hour = 0;
  double rent = 0;                 // part of it: without power
  double output_tokens_per_s = 0;  // that were served
  double tokens_per_s_per_gpu = 0, tokens_per_s_per_user = 0;
  double dollars_per_million_output = 0;  // everything, over output tokens
  // The same rent divided by the GPU time that prompts and outputs would need alone: what a million tokens of
  // each would have to cost.
  double input_price = 0, output_price = 0;
  double objective = 0;  // small is good
};

// How near the best runs of configurations without a point came.
struct NearMiss {
  Configuration configuration;
  Fleet fleet;
  LimitUse binding;
};

struct PlanCount {
  std::string reason;
  std::int64_t configurations = 0;
  std::string example;  // of one of them
};

struct SearchResult {
  std::int64_t configurations = 0;  // of the space
  std::int64_t candidates = 0;      // with every fleet that they could have
  std::vector<PlanCount>
      without_point;  // by reason, most first; with `with_point` they add up to configurations
  std::int64_t with_point = 0;
  std::int64_t short_runs = 0, whole_runs = 0;
  std::vector<PlanPoint> points;  // best first by the objective; at most two of a configuration
  std::optional<std::size_t> best, best_confident;   // of points
  std::vector<std::size_t> speed_front, cost_front;  // of points
  std::optional<NearMiss> nearest;                   // where no point was found
  std::vector<LimitUse> least_possible;  // of each limit: the lowest bound of any configuration that can run
  double most_rate = 0;                  // requests/s that no fleet of the space can exceed; 0: none can run
  bool partial = false;                  // stopped by the time limit or cancelled
};

}  // namespace warploom
