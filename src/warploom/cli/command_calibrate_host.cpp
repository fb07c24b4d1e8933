#include <nlohmann/json.hpp>

#include "warploom/app/serving/calibrate_host.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/host_calibration_report.h"

namespace warploom {

void add_calibrate_host_command(Command& app) {
  Command* command =
      app.add_subcommand("calibrate-host", "fits a host profile to steps that an engine ran one by one");
  const auto fields = add_request_options<CalibrateHostRequest>(*command);
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    CalibrateHostRequest request;
    fields->apply(&request);
    const CalibrateHostResult result = calibrate_host(request);
    print(*json ? json_text(host_calibration_json(result)) : host_calibration_text(result));
  });
}

}  // namespace warploom
