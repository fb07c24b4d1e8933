#include <nlohmann/json.hpp>

#include "warploom/app/tune/moe_config.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/python_package.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_moe_config_command(Command& app) {
  Command* command = app.add_subcommand("moe-config", "fused_moe files of vLLM and SGLang for a GPU");
  RequestCommand configs(*command, "moe_config");
  configs.write([](Json& asked, GivenNames&) { asked["package"] = python_package(); });
  configs.add_fields<MoeConfigRequest>();
  const auto option = [&](const char* name) { return command->get_option(name); };
  for (const char* name : {"--samples", "--profile"}) option(name)->excludes(option("--table"));
  for (const char* name : {"--seconds", "--python", "--package"}) option(name)->needs(option("--profile"));
  // Sizes that the model says.
  for (const char* size : {"--experts", "--top-k", "--hidden", "--intermediate"})
    option("--model")->excludes(option(size));
  configs.runs();
}

void add_train_moe_configs_command(Command& app) {
  RequestCommand training(
      *app.add_subcommand("train-moe-configs",
                          "what `moe-config` knows of other GPUs' searches (maintainers)"),
      "train_moe_configs");
  training.add_fields<TrainMoeConfigsRequest>();
  training.runs();
}

}  // namespace warploom
