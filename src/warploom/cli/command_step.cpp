#include <nlohmann/json.hpp>

#include "warploom/app/serving/price_step.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/setup_options.h"

namespace warploom {

void add_step_command(Command& app) {
  Command* command = app.add_subcommand("step", "one forward pass, kernel by kernel");
  RequestCommand step(*command, "step");
  step.write(setup_writer(SetupOptions(*command, SetupUse::Step)));
  step.add_fields<StepRequest>({.skipped = {"setup"}, .group = std::string(kWorkloadGroup)});
  step.html().charts().runs();
}

}  // namespace warploom
