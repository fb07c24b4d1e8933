#include "warploom/app/plan/plan_experiments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/yaml.h"

namespace warploom {
namespace {

// Objects are joined key by key, anything else is replaced.
Json over_defaults(Json defaults, const Json& own) {
  if (!defaults.is_object() || !own.is_object()) return own;
  for (const auto& [key, value] : own.items())
    defaults[key] = defaults.contains(key) ? over_defaults(defaults[key], value) : value;
  return defaults;
}

// Calls `make` and says of its errors where they come from.
template <class Make>
auto of_experiment(const PlansRequest& request, const PlanExperiment& experiment, const Make& make) {
  const auto placed = [&](const Error& error) {
    return fmt::format("{}: experiment '{}': {}", request.file.string(), experiment.name, error.what());
  };
  try {
    return make();
  } catch (const InvalidInput& error) {
    throw InvalidInput(placed(error));
  } catch (const NotFound& error) {
    throw NotFound(placed(error));
  } catch (const Unsupported& error) {
    throw Unsupported(placed(error));
  } catch (const IoError& error) {
    throw IoError(placed(error));
  }
}

}  // namespace

FieldTable PlansRequest::describe() {
  using R = PlansRequest;
  return RequestFields<R>("plans")
      .add("file", &R::file, {.doc = "defaults and experiments (YAML)", .required = true})
      .add("threads", &R::threads, {.doc = "0: as many as the machine has. No effect on results"})
      .table();
}

PlanExperiments read_experiments(const std::filesystem::path& path) {
  const Json document = json_of(read_yaml_file(path));
  const std::string where = path.string();
  if (!document.is_object()) throw InvalidInput(fmt::format("{}: is no map, expected 'experiments'", where));
  for (const auto& [key, value] : document.items())
    if (key != "defaults" && key != "experiments" && key != "fleet")
      throw InvalidInput(
          fmt::format("{}: '{}' is unknown, expected defaults, experiments or fleet", where, key));
  const Json entries = document.value("experiments", Json());
  if (!entries.is_array() || entries.empty())
    throw InvalidInput(fmt::format("{}: 'experiments' is empty, expected at least one", where));
  PlanExperiments experiments;
  if (document.contains("fleet"))
    experiments.fleet = object_from_json<FleetLimits>(document["fleet"], where + ": fleet");
  std::set<std::string> names;
  for (const Json& entry : entries) {
    const std::string number = fmt::format("{}: experiment {}", where, experiments.each.size());
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
      throw InvalidInput(fmt::format("{}: 'name' is missing, expected a text", number));
    PlanExperiment experiment{.name = entry["name"].get<std::string>(), .request = {}};
    if (!names.insert(experiment.name).second)
      throw InvalidInput(
          fmt::format("{}: '{}' is there twice, expected names of their own", where, experiment.name));
    if (experiments.fleet && experiment.name == kSharedFleet)
      throw InvalidInput(fmt::format("{}: '{}' is what the answer calls the fleet, expected another name",
                                     where, experiment.name));
    Json own = over_defaults(document.value("defaults", Json::object()), entry);
    own.erase("name");
    experiment.request =
        object_from_json<PlanRequest>(own, fmt::format("{}: experiment '{}'", where, experiment.name));
    experiment.request.every_point = experiments.fleet.has_value();
    experiments.each.push_back(std::move(experiment));
  }
  return experiments;
}

void check_experiments(const PlansRequest& request, const std::vector<PlanExperiment>& experiments) {
  for (const PlanExperiment& experiment : experiments)
    of_experiment(request, experiment, [&] { check_plan_request(experiment.request); });
}

PlanResult make_experiment(const PlansRequest& request, const PlanExperiment& experiment,
                           std::shared_ptr<const LatencyModel> latency) {
  return of_experiment(request, experiment,
                       [&] { return make_plan(experiment.request, std::move(latency)); });
}

}  // namespace warploom
