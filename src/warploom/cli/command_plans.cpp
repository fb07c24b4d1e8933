#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/plan/plan_experiments.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/options.h"
#include "warploom/report/plan_report.h"

namespace warploom {
namespace {

void run_plans(const FieldOptionValues& fields, bool json) {
  PlansRequest request;
  fields.apply(&request);
  const InterruptWatch watch;
  Json document = Json::object();
  for (PlanExperiment& experiment : read_experiments(request.file)) {
    experiment.request.threads = request.threads;
    experiment.request.cancelled = &watch.interrupted();
    const PlanResult result = make_plan(experiment.request);
    if (json)
      document[experiment.name] = plan_json(result);
    else
      print(fmt::format("== {} ==\n{}\n", experiment.name, plan_text(result)));
    if (watch.interrupted()) break;
  }
  if (json) print(json_text(document));
}

}  // namespace

void add_plans_command(Command& app) {
  Command* command = app.add_subcommand("plans", "several plans from one YAML file");
  const auto fields = add_request_options<PlansRequest>(*command, {.positionals = {{"file", "FILE"}}});
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] { run_plans(*fields, *json); });
}

}  // namespace warploom
