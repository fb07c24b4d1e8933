#include "warploom/app/data/import_data.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_import_command(Command& app) {
  Command* command = app.add_subcommand("import", "reads measured data into a store");
  RequestCommand rows(*command, "import");
  rows.add_fields<ImportRequest>({.positionals = {{"layout", "LAYOUT"}, {"paths", "PATH"}}});
  rows.runs();
}

}  // namespace warploom
