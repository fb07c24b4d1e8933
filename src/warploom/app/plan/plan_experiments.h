// Several plans from one YAML file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/plan/shared_fleet.h"

namespace warploom {

inline constexpr std::string_view kSharedFleet = "fleet";  // what the answer calls what they share

struct PlanExperiment {
  std::string name;
  PlanRequest request;
};

struct PlansRequest {
  std::filesystem::path file;
  std::size_t threads = 0;
  static FieldTable describe();
};

struct PlanExperiments {
  std::vector<PlanExperiment> each;
  std::optional<FleetLimits> fleet;  // that all of them share
};

// {"defaults": PLAN, "experiments": [{"name", ... PLAN}], "fleet": FLEET}: a plan's fields are those of
// `schema plan`; what an experiment does not say the defaults do, object by object. Throws InvalidInput
// "<path>: experiment 'NAME': ..." on unknown keys, two of one name, none, and with a fleet one that is
// called so.
PlanExperiments read_experiments(const std::filesystem::path& path);

// Refuses what can be refused before the first is searched. Throws what make_plan throws, with the
// experiment.
void check_experiments(const PlansRequest& request, const std::vector<PlanExperiment>& experiments);

// make_plan of one, whose errors name the file and the experiment.
PlanResult make_experiment(const PlansRequest& request, const PlanExperiment& experiment,
                           std::shared_ptr<const LatencyModel> latency);

}  // namespace warploom
