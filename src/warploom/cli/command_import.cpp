#include <nlohmann/json.hpp>

#include "warploom/app/data/import_data.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/import_report.h"

namespace warploom {

void add_import_command(Command& app) {
  Command* command = app.add_subcommand("import", "reads measured data into a store");
  const auto fields = add_request_options<ImportRequest>(
      *command, {.positionals = {{"layout", "LAYOUT"}, {"paths", "PATH"}}});
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    ImportRequest request;
    fields->apply(&request);
    const ImportSummary summary = import_into_store(request);
    print(*json ? json_text(import_summary_json(summary)) : import_summary_text(summary, request.store));
  });
}

}  // namespace warploom
