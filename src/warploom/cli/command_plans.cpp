#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/options.h"
#include "warploom/report/plan_report.h"

namespace warploom {
namespace {

void run_plans(const FieldOptionValues& fields, bool json, PlanCrew* crew) {
  PlansRequest request;
  fields.apply(&request);
  const bool first = crew == nullptr || crew->is_first();
  const InterruptWatch watch;
  Json document = Json::object();
  std::string unwritten;  // does not cost the answers
  std::vector<PlanExperiment> experiments = read_experiments(request.file);
  check_experiments(request, experiments);
  for (PlanExperiment& experiment : experiments) {
    experiment.request.threads = request.threads;
    experiment.request.crew = crew;
    experiment.request.cancelled = &watch.interrupted();
    const PlanResult result = make_experiment(
        request, experiment, open_latency_model(experiment.request.predictor, FileScope::machine()));
    if (!first) continue;
    if (!result.store_failure.empty())
      unwritten += fmt::format("{}experiment '{}': {}", unwritten.empty() ? "" : "; ", experiment.name,
                               result.store_failure);
    if (json)
      document[experiment.name] = plan_json(result);
    else
      print(fmt::format("== {} ==\n{}\n", experiment.name, plan_text(result)));
    if (watch.interrupted()) break;
  }
  if (json && first) print(json_text(document));
  if (!unwritten.empty()) throw std::runtime_error(unwritten);  // exit status 1
}

}  // namespace

void add_plans_command(Command& app, PlanCrew* crew) {
  Command* command = app.add_subcommand("plans", "several plans from one YAML file");
  const auto fields = add_request_options<PlansRequest>(*command, {.positionals = {{"file", "FILE"}}});
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json, crew] { run_plans(*fields, *json, crew); });
}

}  // namespace warploom
