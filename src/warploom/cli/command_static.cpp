#include <nlohmann/json.hpp>

#include "warploom/app/serving/price_static_batch.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/setup_options.h"

namespace warploom {

void add_static_command(Command& app) {
  Command* command = app.add_subcommand("static", "latency of a static batch");
  RequestCommand batch(*command, "static");
  batch.write(setup_writer(SetupOptions(*command, SetupUse::StaticBatch)));
  batch.add_fields<StaticBatchRequest>({.skipped = {"setup"}, .group = std::string(kWorkloadGroup)});
  batch.html().runs();
}

}  // namespace warploom
