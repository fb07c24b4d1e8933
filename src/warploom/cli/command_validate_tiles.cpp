#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_tiles.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/tile_report.h"

namespace warploom {

void add_validate_tiles(Command& validate) {
  Command* command = validate.add_subcommand("tiles", "guesses of the tile that a matrix library chooses");
  const auto fields = add_request_options<ValidateTilesRequest>(*command);
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    ValidateTilesRequest request;
    fields->apply(&request);
    request.progress = [](std::string_view line) { print_note(line); };
    const TileValidation result = validate_tiles(request);
    print(*json ? json_text(tile_validation_json(result)) : tile_validation_text(result));
  });
}

}  // namespace warploom
