#include "warploom/app/runs/calibrate_host_runs.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_calibrate_host_command(Command& app) {
  Command* command =
      app.add_subcommand("calibrate-host", "fits a host profile to steps or runs of your engine");
  RequestCommand host(*command, "calibrate_host");
  host.add_fields<CalibrateHostRequest>();
  host.runs();
}

}  // namespace warploom
