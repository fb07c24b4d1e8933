#include "warploom/app/data/convert_clients.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_convert_clients_command(Command& app) {
  Command* command = app.add_subcommand("convert-clients", "loads that other programs describe, as clients");
  RequestCommand clients(*command, "convert_clients");
  clients.add_fields<ConvertClientsRequest>({.positionals = {{"client_layout", "LAYOUT"}, {"path", "PATH"}}});
  clients.runs();
}

}  // namespace warploom
