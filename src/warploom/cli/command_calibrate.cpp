#include "warploom/app/data/calibrate.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_calibrate_command(Command& app) {
  Command* command =
      app.add_subcommand("calibrate", "fits a predictor to one GPU's sweep by warploom-collect");
  RequestCommand sweep(*command, "calibrate");
  sweep.add_fields<CalibrateRequest>();
  sweep.runs();
}

}  // namespace warploom
