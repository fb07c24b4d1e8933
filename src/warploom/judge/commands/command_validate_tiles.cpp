#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/judge/commands/validate_commands.h"
#include "warploom/judge/validate/validate_tiles.h"

namespace warploom {

void add_validate_tiles(Command& validate) {
  Command* command = validate.add_subcommand("tiles", "guesses of the tile that a matrix library chooses");
  RequestCommand tiles(*command, "validate_tiles");
  tiles.add_fields<ValidateTilesRequest>();
  tiles.html().runs();
}

}  // namespace warploom
