#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/charts_option.h"
#include "warploom/cli/command.h"
#include "warploom/cli/deployment_options.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/options.h"
#include "warploom/cli/progress.h"
#include "warploom/cli/setup_options.h"
#include "warploom/cli/workload_options.h"
#include "warploom/report/aiperf.h"
#include "warploom/report/group_report.h"
#include "warploom/report/run_charts.h"
#include "warploom/report/run_trace.h"
#include "warploom/report/simulation_report.h"
#include "warploom/report/tuned_change.h"

namespace warploom {
namespace {

// A page draws single requests up to so many; beyond it has distributions alone.
constexpr std::size_t kMostDrawnRequests = 20'000;

struct Options {
  std::shared_ptr<FieldOptionValues> fields;
  std::string goodput, aiperf, perfetto;
  std::optional<double> perfetto_from_s;
  std::optional<std::size_t> perfetto_steps;
  std::optional<HtmlOption> html;
  std::optional<ChartsOption> charts;
  bool json = false, details = false;
};

// "ttft:500,tpot:50" in milliseconds, the spelling of `vllm bench serve --goodput`.
Slo parse_goodput(std::string_view text) {
  Slo slo;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", "), text.size());
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (entry.empty()) continue;
    const std::size_t colon = entry.find(':');
    const std::string name(entry.substr(0, colon));
    const FieldTable& table = fields_of<Slo>();
    const auto field = std::find_if(table.fields.begin(), table.fields.end(),
                                    [&](const Field& f) { return f.name == name; });
    if (colon == std::string_view::npos || field == table.fields.end())
      throw InvalidInput(
          fmt::format("--goodput: '{}' is no limit, expected ttft:MS, tpot:MS or e2el:MS", entry));
    FieldValue value = field_value_from_text(*field, entry.substr(colon + 1), "--goodput");
    check_field_value(*field, value, "--goodput");
    field->set(&slo, std::move(value));
  }
  return slo;
}

// Said of runs that took long enough to be noticed.
void print_speed(const SimulationResult& run, std::chrono::duration<double> taken) {
  if (taken < std::chrono::seconds(2)) return;
  print_note(fmt::format("{} steps simulated in {:.1f} s, {:.2f} million a second", run.totals.steps,
                         taken.count(), double(run.totals.steps) / taken.count() * 1e-6));
}

SimulateResult timed_run(SimulateRequest& request) {
  Progress progress("requests");
  request.on_progress = [&](const SimulationProgress& at) {
    const double simulated = SimDuration(at.now.nanoseconds()).seconds().value();
    progress.at(at.completed, at.total, fmt::format("{:.0f} s simulated", simulated));
  };
  const InterruptWatch watch;
  request.cancelled = &watch.interrupted();
  return simulate_serving(request);
}

// The steps that the trace of a run shows.
void set_trace(const Options& options, SimulateRequest& request) {
  if (!options.perfetto.empty()) request.views.emplace_back(kPerfettoView);
  request.traced_steps = options.perfetto_steps;
  request.trace_from = Seconds(options.perfetto_from_s.value_or(0));
}

void run(Options& options, const SetupOptions& setup, const DeploymentOptions& deployment,
         const WorkloadOptions& workload) {
  SimulateRequest request;
  options.fields->apply(&request);
  if (options.details && !options.json)
    throw InvalidInput("--details changes nothing by itself, expected --json too");
  const auto charts = options.charts->style();
  request.setup = setup.parsed();
  const std::string note = workload.apply(request);
  deployment.apply(request);
  request.goodput = parse_goodput(options.goodput);
  request.details = options.details;
  set_trace(options, request);
  const auto begin = std::chrono::steady_clock::now();
  const SimulateResult result = timed_run(request);
  print_speed(result.run, std::chrono::steady_clock::now() - begin);
  if (!note.empty()) print_note(note);
  if (!options.perfetto.empty())
    write_file_atomically(options.perfetto, run_trace_json(result.run, result.traced));
  if (!options.aiperf.empty()) write_file_atomically(options.aiperf, aiperf_jsonl(result.run.requests));
  const auto document = [&](bool details) {
    Json simulated = simulation_json(result.label, result.run, result.interval, details, request.goodput);
    if (!result.groups.empty()) simulated["groups"] = group_json(result.groups);
    if (result.tuned) simulated["tuned"] = tuned_change_json(*result.tuned);
    return simulated;
  };
  if (options.html->given())
    options.html->write_answer(request, document(result.run.requests.size() <= kMostDrawnRequests));
  if (options.json) {
    print(json_text(document(request.details)));
    return;
  }
  print(simulation_text(result.label, result.run, result.interval, request.goodput));
  print(group_text(result.groups));
  if (result.tuned) print(tuned_change_text(*result.tuned));
  if (charts) print(timeline_chart(result.run, *charts));
}

void add_output_options(Command& command, Options& options) {
  const OptionGroup group(command, kOutputGroup);
  command.add_option("--goodput", options.goodput, "limits in ms, for example ttft:500,tpot:50");
  command.add_option("--aiperf", options.aiperf, "writes one JSON line per request, as AIPerf does");
  command.add_option("--perfetto", options.perfetto, "writes a trace that ui.perfetto.dev opens");
  command.add_option("--perfetto-steps", options.perfetto_steps, "steps in that trace; default 50")
      ->within(1, 10000);
  command
      .add_option("--perfetto-from", options.perfetto_from_s,
                  "first of them at this second of the run; default 0")
      ->not_negative();
  // The parts of the request have options of their own.
  options.fields = add_request_options<SimulateRequest>(
      command,
      {.skipped = {"setup", "disaggregation", "autoscaling", "source", "views", "traced_steps",
                   "trace_from_s", "goodput", "details"},
       .group_of = [](std::string_view field) {
         return std::string(fields_of<FleetRules>().find(field) == nullptr ? kOutputGroup : kFleetGroup);
       }});
  options.html.emplace(command, "simulate");
  options.charts.emplace(command, options.json);
  add_json_option(command, options.json);
  command.add_flag("--details", options.details, "with --json: also arrays with one entry per request");
}

}  // namespace

void add_simulate_command(Command& app) {
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("simulate", "a whole serving run");
  const SetupOptions setup(*command, SetupUse::Run);
  const DeploymentOptions deployment(*command);
  const WorkloadOptions workload(*command);
  add_output_options(*command, *options);
  command->callback([options, setup, deployment, workload] { run(*options, setup, deployment, workload); });
}

}  // namespace warploom
