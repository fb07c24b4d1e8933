#include "warploom/app/runs/calibrate_machine.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_calibrate_machine_command(Command& app) {
  Command* command = app.add_subcommand(
      "calibrate-machine", "makes the profile of your machine from a probe or an onboarded engine");
  RequestCommand machine(*command, "calibrate_machine");
  machine.add_fields<CalibrateMachineRequest>();
  machine.runs();
}

}  // namespace warploom
