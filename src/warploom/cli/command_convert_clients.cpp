#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/convert_clients.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"

namespace warploom {

void add_convert_clients_command(Command& app) {
  Command* command = app.add_subcommand("convert-clients", "loads that other programs describe, as clients");
  const auto fields = add_request_options<ConvertClientsRequest>(
      *command, {.positionals = {{"client_layout", "LAYOUT"}, {"path", "PATH"}}});
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    ConvertClientsRequest request;
    fields->apply(&request);
    const ClientMix mix = convert_clients(request);
    const Json document = {{"clients", mix.clients.size()},
                           {"duration_s", mix.duration.value()},
                           {"output", request.output.string()}};
    print(*json ? json_text(document)
                : fmt::format("{} clients over {:g} s, written to {}\n", mix.clients.size(),
                              mix.duration.value(), request.output.string()));
  });
}

}  // namespace warploom
