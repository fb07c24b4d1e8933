#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_tiles.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/tile_report.h"

namespace warploom {

void add_validate_tiles(Command& validate) {
  struct Options {
    ValidateTilesRequest request;
    std::string data, write;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = validate.add_subcommand("tiles", "guesses of the tile that a matrix library chooses");
  command->add_option("--data", options->data, "tiles.csv of `warploom-collect --tiles`")->required();
  command->add_option("--gpu", options->request.gpu, "record of that GPU; absent: by the name in the file");
  command->add_flag("--shipped", options->request.shipped, "judge the program's own ranking, learn nothing");
  command->add_flag("--leave-out-sms", options->request.leave_out_sms,
                    "also learn without each count of SMs and judge at it");
  command->add_option("--rows", options->request.rows, "choices that a family learns from, at most")
      ->capture_default_str()
      ->positive();
  command->add_option("--write", options->write, "file for what was learned");
  command->add_option("--threads", options->request.threads, "0: as many as cores")->not_negative();
  add_json_option(*command, options->json);
  command->callback([options] {
    options->request.data = options->data;
    options->request.write = options->write;
    options->request.progress = [](std::string_view line) { print_note(line); };
    const TileValidation result = validate_tiles(options->request);
    print(options->json ? json_text(tile_validation_json(result)) : tile_validation_text(result));
  });
}

}  // namespace warploom
