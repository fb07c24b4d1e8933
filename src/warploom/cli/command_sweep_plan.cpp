#include <nlohmann/json.hpp>

#include "warploom/app/data/sweep_plan.h"
#include "warploom/base/json.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/sweep_plan_report.h"

namespace warploom {

void add_sweep_plan_command(Command& app) {
  Command* command =
      app.add_subcommand("sweep-plan", "chooses what warploom-collect times, most informative first");
  const auto fields = add_request_options<SweepPlanRequest>(*command);
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    SweepPlanRequest request;
    fields->apply(&request);
    const SweepPlanResult result = sweep_plan(request);
    print(*json ? json_text(sweep_plan_json(result)) : sweep_plan_text(result, request.output));
  });
}

}  // namespace warploom
