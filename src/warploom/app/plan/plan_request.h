// What `plan` is asked.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/file_scope.h"
#include "warploom/planner/gpu_prices.h"
#include "warploom/planner/plan_task.h"

namespace warploom {

// Draws of a load that decide between them what one leaves open: chosen, not fitted. With five the mean's
// interval of nine in ten is 0.69 of the deviation between draws.
inline constexpr std::int64_t kPlanSeeds = 5;

struct PlanRequest {
  std::string model;  // as ServingSetupRequest has it, like the next three
  std::string predictor, expert_routing, kv_cache_dtype = "auto";
  std::optional<double> gpu_memory_utilization;
  std::optional<double> acceptance_length;  // of drafts; needed with space.speculations
  std::string host_profile = std::string(kDefaultHostProfile);
  std::string machine;                          // as HostSettings has it
  FileScope files = FileScope::machine();       // where names may be paths
  MeasuredAt measured_at = MeasuredAt::Client;  // whose latencies the limits mean
  NodeNetwork network;                          // as ServingSetupRequest has it
  std::string vision_encoder;                   // as ServingSetupRequest has it
  SearchSpace space;
  WorkloadRequestSource source;
  std::vector<std::string> slo, goodput;  // as parse_limits and parse_goodput_limits take them
  double goodput_share = 0.95;
  std::int64_t gpu_count = 0;
  bool find_max_rate = false;
  std::int64_t seeds = kPlanSeeds;  // as PlanTask::draws has it, from source.seed on
  Objective objective = Objective::Cost;
  PriceKind price_kind = PriceKind::OnDemand;
  std::filesystem::path prices;     // a list of one's own, before the shipped one
  std::vector<std::string> price;   // "H200=3.5"
  std::vector<std::string> rent;    // as rent_parts takes it, in place of price_kind; empty: all of it so
  std::optional<bool> whole_nodes;  // are paid for; absent: where the price is of GPUs rented so
  double power_price = 0;           // $/kWh
  double max_power_kw = 0;          // as PlanTask has it, like the next
  std::int64_t max_racks = 0;
  std::optional<double> rack_power_kw;  // that one rack supplies
  std::int64_t spare_instances = 0;
  double growth = 1;  // of the load's rate or concurrency
  RoutingPolicy routing_policy = RoutingPolicy::Engine;
  FleetRules fleet;                    // of the router in front
  SharedKv shared_kv;                  // caches that instances share, where space.shared_caches has them
  double kv_store_price = 0;           // $ of a GiB of the store for one hour
  double unserved_share = 0;           // of the requests may be turned away or time out
  AutoscalingConfig autoscaling;       // on: fleets are what a pool may grow to
  std::vector<std::string> day_price;  // "H200@8-20=4.5", over `price`
  double start_hour = 0;               // of the day, when the load begins; read where pools scale
  bool fronts = true, exhaustive = false;
  bool every_point = false;     // as PlanTask has it; of several plans on one fleet
  std::filesystem::path store;  // as LoggedRuns takes it
  double time_limit_s = 0;
  std::string require_tier;        // "measured": kernels of any other tier are refused; empty: none
  std::vector<std::string> views;  // of the plan, beside its figures: kPlanViews
  std::string emit;             // what starts the best deployment, in a format of emit_formats(); empty: none
  std::int64_t top = 1;         // deployments that `emit` writes, each in a folder of its own where above 1
  std::filesystem::path check;  // a benchmark's result, compared with the promise; empty: none
  std::size_t threads = 0;
  PlanCrew* crew = nullptr;  // as PlanTask has it
  std::function<void(const PlanProgress&)> on_progress;
  const std::atomic<bool>* cancelled = nullptr;
  static FieldTable describe();
};

constexpr std::string_view kSvgView = "svg";  // both fronts as a picture
constexpr std::array<std::string_view, 1> kPlanViews{kSvgView};

}  // namespace warploom
