#include <nlohmann/json.hpp>

#include "warploom/app/serving/price_step.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/step_report.h"

namespace warploom {

void add_step_command(Command& app) {
  struct Options {
    StepRequest request;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("step", "one forward pass, kernel by kernel");
  const SetupOptions setup(*command, SetupUse::Step);
  const OptionGroup group(*command, kWorkloadGroup);
  command->add_option("--prefill", options->request.prefill, "BxL: B prompts of L tokens");
  command->add_option("--decode", options->request.decode,
                      "BxL: B requests that add a token to L cached ones");
  add_json_option(*command, options->json);
  command->callback([options, setup] {
    options->request.setup = setup.parsed();
    const StepBreakdown step = price_step(options->request);
    print(options->json ? json_text(step_json(step)) : step_text(step));
  });
}

}  // namespace warploom
