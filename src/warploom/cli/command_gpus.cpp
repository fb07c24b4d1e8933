#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_gpu_commands(Command& app) {
  RequestCommand(*app.add_subcommand("gpus", "lists the GPUs that are known"), "gpus").runs();
  Command* gpu = app.add_subcommand("gpu", "shows one GPU");
  gpu->require_subcommand(1);
  Command* show = gpu->add_subcommand("show", "every number of one GPU, with its source");
  const auto name = std::make_shared<std::string>();
  show->add_option("NAME", *name, "a name, an alias, or the path of your own record")->required();
  RequestCommand shown(*show, "gpu");
  shown.write([name](Json& asked, GivenNames&) { asked["name"] = *name; });
  shown.runs();
}

}  // namespace warploom
