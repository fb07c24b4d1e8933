#include <nlohmann/json.hpp>

#include "warploom/app/validate/calibrate_host_runs.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/host_calibration_report.h"

namespace warploom {

void add_calibrate_host_command(Command& app) {
  Command* command =
      app.add_subcommand("calibrate-host", "fits a host profile to steps or runs of your engine");
  const auto fields = add_request_options<CalibrateHostRequest>(*command);
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    CalibrateHostRequest request;
    fields->apply(&request);
    const HostCalibration result = calibrate_host_to(request);
    print(*json ? json_text(host_calibration_json(result)) : host_calibration_text(result));
  });
}

}  // namespace warploom
