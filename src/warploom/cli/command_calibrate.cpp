#include <nlohmann/json.hpp>

#include "warploom/app/data/calibrate.h"
#include "warploom/base/json.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/calibration_report.h"

namespace warploom {

void add_calibrate_command(Command& app) {
  Command* command =
      app.add_subcommand("calibrate", "fits a predictor to one GPU's sweep by warploom-collect");
  const auto fields = add_request_options<CalibrateRequest>(*command);
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    CalibrateRequest request;
    fields->apply(&request);
    request.progress = [](std::string_view line) { print_note(line); };
    const CalibrateResult result = calibrate(request);
    print(*json ? json_text(calibration_json(result)) : calibration_text(result));
  });
}

}  // namespace warploom
