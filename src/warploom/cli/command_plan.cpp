#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/plan/make_plan.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/options.h"
#include "warploom/cli/progress.h"
#include "warploom/cli/workload_options.h"
#include "warploom/report/plan_front.h"
#include "warploom/report/plan_report.h"

namespace warploom {
namespace {

struct PlanOptions {
  std::shared_ptr<FieldOptionValues> fields;
  std::string svg;
  std::size_t rows = 12;
  bool json = false;
};

PlanResult timed_plan(PlanRequest& request) {
  const InterruptWatch watch;
  request.cancelled = &watch.interrupted();
  std::optional<Progress> screening, deciding;
  request.on_progress = [&](const PlanProgress& at) {
    const bool first = at.stage == "screened";
    std::optional<Progress>& line = first ? screening : deciding;
    if (!line) {
      screening.reset();
      line.emplace(fmt::format("configurations {}", at.stage));
    }
    line->at(at.done, at.total);
  };
  return make_plan(request);
}

void run_plan(const PlanOptions& options, const WorkloadOptions& workload) {
  PlanRequest request;
  options.fields->apply(&request);
  SimulateRequest load;
  const std::string note = workload.apply(load);
  request.source = std::move(load.source);
  const PlanResult result = timed_plan(request);
  if (!note.empty()) print_note(note);
  if (!options.svg.empty())
    write_file_atomically(options.svg, plots_svg({speed_plot(result), cost_plot(result)}));
  print(options.json ? json_text(plan_json(result)) : plan_text(result, options.rows));
}

std::string group_of_plan(std::string_view field) {
  const Field* space = fields_of<SearchSpace>().find(field);
  return space == nullptr ? std::string() : std::string(kSpaceGroup);
}

}  // namespace

void add_plan_command(Command& app) {
  const auto options = std::make_shared<PlanOptions>();
  Command* command = app.add_subcommand("plan", "which GPUs, how many, how configured, at what cost");
  options->fields = add_request_options<PlanRequest>(*command, {.skipped = {"source"}, .group_of = group_of_plan});
  const WorkloadOptions workload(*command, WorkloadUse::Plan);
  {
    const OptionGroup group(*command, kOutputGroup);
    command->add_option("--svg", options->svg, "writes both fronts as a picture");
    command->add_option("--rows", options->rows, "of the ranking")->capture_default_str();
    add_json_option(*command, options->json);
  }
  command->callback([options, workload] { run_plan(*options, workload); });
}

}  // namespace warploom
