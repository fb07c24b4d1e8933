#include <nlohmann/json.hpp>

#include "warploom/app/data/convert_clients.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/clients_report.h"

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
    print(*json ? json_text(clients_json(mix, request.output)) : clients_text(mix, request.output));
  });
}

}  // namespace warploom
