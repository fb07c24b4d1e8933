#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/field_text.h"
#include "warploom/cli/command.h"
#include "warploom/cli/deployment_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/setup_options.h"
#include "warploom/cli/view_file.h"
#include "warploom/cli/workload_options.h"
#include "warploom/report/simulation_report.h"

namespace warploom {
namespace {

// A page draws single requests up to so many; beyond it has distributions alone.
constexpr std::size_t kMostDrawnRequests = 20'000;

struct Options {
  std::string goodput;
  std::optional<double> perfetto_from_s;
  std::optional<std::size_t> perfetto_steps;
  bool details = false;
  std::chrono::steady_clock::time_point begin;
};

// "ttft:500,tpot:50" in milliseconds, the spelling of `vllm bench serve --goodput`.
Json parse_goodput(std::string_view text) {
  Json slo = Json::object();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", "), text.size());
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (entry.empty()) continue;
    const std::size_t colon = entry.find(':');
    const std::string name(entry.substr(0, colon));
    const Field* field = fields_of<Slo>().find(name);
    if (colon == std::string_view::npos || field == nullptr)
      throw InvalidInput(
          fmt::format("--goodput: '{}' is no limit, expected ttft:MS, tpot:MS or e2el:MS", entry));
    const FieldValue value = field_value_from_text(*field, entry.substr(colon + 1), "--goodput");
    check_field_value(*field, value, "--goodput");
    slo[name] = json_of(value);
  }
  return slo;
}

// Said of runs that took long enough to be noticed.
void print_speed(double steps, std::chrono::duration<double> taken) {
  if (taken < std::chrono::seconds(2)) return;
  print_note(fmt::format("{} steps simulated in {:.1f} s, {:.2f} million a second", steps, taken.count(),
                         steps / taken.count() * 1e-6));
}

void write_output_fields(Options& options, Json& asked) {
  if (!options.goodput.empty()) asked["goodput"] = parse_goodput(options.goodput);
  if (options.details) asked["details"] = true;
  if (options.perfetto_steps) asked["traced_steps"] = *options.perfetto_steps;
  if (options.perfetto_from_s) asked["trace_from_s"] = *options.perfetto_from_s;
  options.begin = std::chrono::steady_clock::now();
}

void add_output_options(Command& command, RequestCommand& run, const std::shared_ptr<Options>& options) {
  const OptionGroup group(command, kOutputGroup);
  command.add_option("--goodput", options->goodput, "limits in ms, for example ttft:500,tpot:50");
  add_view_file(run, "--aiperf", std::string(kAiperfView),
                "writes one JSON line per request, as AIPerf does");
  add_view_file(run, "--perfetto", std::string(kPerfettoView), "writes a trace that ui.perfetto.dev opens");
  command.add_option("--perfetto-steps", options->perfetto_steps, "steps in that trace; default 50")
      ->within(1, 10000);
  command
      .add_option("--perfetto-from", options->perfetto_from_s,
                  "first of them at this second of the run; default 0")
      ->not_negative();
  // The parts of the request have options of their own.
  run.add_fields<SimulateRequest>(
      {.skipped = {"setup", "disaggregation", "autoscaling", "source", "views", "traced_steps",
                   "trace_from_s", "goodput", "details"},
       .group_of = [](std::string_view field) {
         const bool fleet = fields_of<FleetRules>().find(field) || fields_of<SharedKv>().find(field);
         const bool pool = fields_of<EncoderPoolRequest>().find(field) != nullptr;
         return std::string(fleet ? kFleetGroup : pool ? kPoolGroup : kOutputGroup);
       }});
  run.write([options](Json& asked, GivenNames&) { write_output_fields(*options, asked); });
  run.page_alone({.ask = [](Json& asked) { asked["details"] = true; },
                  .trim =
                      [options](Json& document) {
                        if (!options->details &&
                            document["num_prompts"].get<std::size_t>() > kMostDrawnRequests)
                          erase_request_arrays(document);
                      },
                  .forget =
                      [options](Json& document) {
                        if (!options->details) erase_request_arrays(document);
                      }});
  run.see([options](const Json&, Json& document, std::string&) {
    print_speed(document["step_totals"]["steps"].get<double>(),
                std::chrono::steady_clock::now() - options->begin);
  });
  run.html().charts();
  command.add_flag("--details", options->details, "with --json: also arrays with one entry per request");
}

}  // namespace

void add_simulate_command(Command& app) {
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("simulate", "a whole serving run");
  RequestCommand run(*command, "simulate");
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
  add_output_options(*command, run, options);
  run.needs_json([options] { return std::string(options->details ? "--details" : ""); });
  run.runs();
}

}  // namespace warploom
