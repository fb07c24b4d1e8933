#include "warploom/app/data/sweep_plan.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_sweep_plan_command(Command& app) {
  Command* command =
      app.add_subcommand("sweep-plan", "chooses what warploom-collect times, most informative first");
  RequestCommand sweep(*command, "sweep_plan");
  sweep.add_fields<SweepPlanRequest>();
  sweep.runs();
}

}  // namespace warploom
