#include <nlohmann/json.hpp>

#include "warploom/app/plan/support_matrix.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/cli/progress.h"
#include "warploom/report/support_report.h"

namespace warploom {

void add_support_command(Command& app) {
  Command* command = app.add_subcommand("support", "which models, GPUs and engines rest on measured kernels");
  const auto fields = add_request_options<SupportRequest>(*command);
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    SupportRequest request;
    fields->apply(&request);
    Progress progress("combinations");
    request.on_progress = [&](std::int64_t done, std::int64_t total) { progress.at(done, total); };
    const std::vector<SupportRow> rows = support_matrix(request);
    print(*json ? json_text({{"rows", support_json(rows)}}) : support_text(rows));
  });
}

}  // namespace warploom
