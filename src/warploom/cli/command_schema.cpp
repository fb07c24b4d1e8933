#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_schema_command(Command& app) {
  Command* command =
      app.add_subcommand("schema", "what a request holds, as a JSON schema; without a name all requests");
  const auto name = std::make_shared<std::string>();
  command->add_option("REQUEST", *name, "its name, for example simulate");
  RequestCommand schema(*command, "schema");
  schema.write([name](Json& asked, GivenNames&) {
    if (!name->empty()) asked["name"] = *name;
  });
  schema.runs();
}

}  // namespace warploom
