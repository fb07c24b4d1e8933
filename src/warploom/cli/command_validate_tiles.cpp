#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_tiles.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/report/tile_report.h"

namespace warploom {

void add_validate_tiles(Command& validate) {
  Command* command = validate.add_subcommand("tiles", "guesses of the tile that a matrix library chooses");
  const auto fields = add_request_options<ValidateTilesRequest>(*command);
  const HtmlOption html(*command, "validate_tiles");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, html, json] {
    ValidateTilesRequest request;
    fields->apply(&request);
    request.progress = [](std::string_view line) { print_note(line); };
    const TileValidation result = validate_tiles(request);
    const Json document = tile_validation_json(result);
    html.write_answer(request, document);
    print(*json ? json_text(document) : tile_validation_text(result));
  });
}

}  // namespace warploom
