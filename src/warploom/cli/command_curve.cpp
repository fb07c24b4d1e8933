#include "warploom/cli/command_curve.h"

#include <nlohmann/json.hpp>

#include "warploom/app/runs/curve.h"
#include "warploom/cli/deployment_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/setup_options.h"
#include "warploom/cli/view_file.h"
#include "warploom/cli/workload_options.h"

namespace warploom {

void add_curve_command(Command& app) {
  Command* command = app.add_subcommand("curve", "a serving run at several loads or of several deployments");
  RequestCommand run(*command, "curve");
  run.counts("requests").stops_on_interrupt();
  const SetupOptions setup(*command, SetupUse::Run);
  run.write(setup_writer(setup));
  const DeploymentOptions deployment(*command, setup);
  const WorkloadOptions workload(*command);
  run.write([deployment, workload](Json& asked, GivenNames& names) {
    workload.write(asked);
    deployment.write(asked);
    deployment.name_fields(names);
  });
  run.add_fields<SimulateRequest>({.skipped = {"setup", "disaggregation", "autoscaling", "source", "views",
                                               "traced_steps", "trace_from_s", "goodput", "details", "tuned"},
                                   .group_of = [](std::string_view field) {
                                     const bool fleet = fields_of<FleetRules>().find(field) ||
                                                        fields_of<SharedKv>().find(field);
                                     return std::string(fleet ? kFleetGroup : kOutputGroup);
                                   }});
  run.add_fields<CurveRequest>({.skipped = {"run", "views"}, .group = "Points"});
  const OptionGroup group(*command, kOutputGroup);
  add_view_file(run, "--svg", "svg", "writes the curve as a picture");
  add_view_file(run, "--csv", "csv", "writes the points as CSV");
  run.runs();
}

}  // namespace warploom
