#include "warploom/app/validate/validate_tiles.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_validate_tiles(Command& validate) {
  Command* command = validate.add_subcommand("tiles", "guesses of the tile that a matrix library chooses");
  RequestCommand tiles(*command, "validate_tiles");
  tiles.add_fields<ValidateTilesRequest>();
  tiles.html().runs();
}

}  // namespace warploom
