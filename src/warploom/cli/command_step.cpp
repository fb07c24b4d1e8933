#include <nlohmann/json.hpp>

#include "warploom/app/serving/price_step.h"
#include "warploom/cli/charts_option.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/run_charts.h"
#include "warploom/report/step_report.h"

namespace warploom {

void add_step_command(Command& app) {
  Command* command = app.add_subcommand("step", "one forward pass, kernel by kernel");
  const SetupOptions setup(*command, SetupUse::Step);
  const auto fields = add_request_options<StepRequest>(
      *command, {.skipped = {"setup"}, .group = std::string(kWorkloadGroup)});
  const HtmlOption html(*command, "step");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  const ChartsOption charts(*command, *json);
  command->callback([charts, fields, html, json, setup] {
    const auto style = charts.style();
    StepRequest request;
    fields->apply(&request);
    request.setup = setup.parsed();
    const StepBreakdown step = price_step(request);
    const Json document = step_json(step);
    html.write_answer(request, document);
    print(*json ? json_text(document) : step_text(step));
    if (style) print(step_chart(step, *style));
  });
}

}  // namespace warploom
