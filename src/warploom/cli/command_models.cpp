#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_models_command(Command& app) {
  Command* command = app.add_subcommand("models", "lists the models that are known");
  const auto name = std::make_shared<std::string>();
  command->add_option("MODEL", *name, "one model: a name, or the path of a config.json or its folder");
  RequestCommand models(*command, "models");
  models.write([name](Json& asked, GivenNames&) {
    if (!name->empty()) asked["name"] = *name;
  });
  models.runs();
}

}  // namespace warploom
