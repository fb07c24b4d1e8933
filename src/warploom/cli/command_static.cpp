#include <nlohmann/json.hpp>

#include "warploom/app/serving/price_static_batch.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/static_report.h"

namespace warploom {

void add_static_command(Command& app) {
  Command* command = app.add_subcommand("static", "latency of a static batch");
  const SetupOptions setup(*command, SetupUse::StaticBatch);
  const auto fields = add_request_options<StaticBatchRequest>(
      *command, {.skipped = {"setup"}, .group = std::string(kWorkloadGroup)});
  const HtmlOption html(*command, "static");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, html, json, setup] {
    StaticBatchRequest request;
    fields->apply(&request);
    request.setup = setup.parsed();
    const StaticBreakdown result = price_static_batch(request);
    const Json document = static_json(result);
    html.write_answer(request, document);
    print(*json ? json_text(document) : static_text(result));
  });
}

}  // namespace warploom
