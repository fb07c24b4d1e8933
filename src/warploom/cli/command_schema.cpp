#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/schema/request_schema.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"

namespace warploom {

void add_schema_command(Command& app) {
  struct Options {
    std::string name;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command =
      app.add_subcommand("schema", "what a request holds, as a JSON schema; without a name all requests");
  command->add_option("REQUEST", options->name, "its name, for example simulate");
  add_json_option(*command, options->json);
  command->callback([options] {
    if (!options->name.empty()) return print(json_text(request_schema(options->name)));
    Json list = Json::array();
    std::string text;
    for (const DescribedRequest& request : described_requests()) {
      list.push_back({{"name", request.name()}, {"about", request.about}});
      text += fmt::format("{:<22}{}\n", request.name(), request.about);
    }
    print(options->json ? json_text({{"requests", std::move(list)}}) : text);
  });
}

}  // namespace warploom
