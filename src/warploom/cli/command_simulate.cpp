#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "warploom/app/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/cli/deployment_options.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/aiperf.h"

namespace warploom {
namespace {

struct Options {
  SimulateRequest request;
  std::string trace, vision_encoder, goodput, aiperf, perfetto, tuned;
  double perfetto_from_s = 0;
  std::optional<double> think_time_s;
  std::size_t perfetto_steps = 50;
  bool json = false, details = false, no_intervals = false;
  std::shared_ptr<FieldOptionValues> sessions;
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

// Lines on standard error, from the second second on and at most one a second.
class ProgressLines {
 public:
  void operator()(const SimulationProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(1);
    print_note(fmt::format("{} of {} requests, {:.0f} s simulated", progress.completed, progress.total,
                           SimDuration(progress.now.nanoseconds()).seconds().value()));
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

// Of the runs that took long enough to be noticed.
void print_speed(const SimulationResult& run, std::chrono::duration<double> taken) {
  if (taken < std::chrono::seconds(2)) return;
  print_note(fmt::format("{} steps simulated in {:.1f} s, {:.2f} million a second", run.totals.steps,
                         taken.count(), double(run.totals.steps) / taken.count() * 1e-6));
}

void run(Options& options, const SetupOptions& setup, const DeploymentOptions& deployment) {
  SimulateRequest& request = options.request;
  request.setup = setup.parsed();
  request.setup.vision_encoder = options.vision_encoder;
  request.setup.image_tokens = request.source.image_tokens;
  deployment.apply(request);
  // Images are encoded where prompts are computed.
  if (request.disaggregation) request.disaggregation->decode.vision_encoder.clear();
  request.intervals = !options.no_intervals;
  request.source.trace = options.trace;
  request.tuned = options.tuned;
  if (options.think_time_s) request.source.think_time = Seconds(*options.think_time_s);
  if (options.sessions->given("sessions")) options.sessions->apply(&request.source.sessions.emplace());
  const Slo slo = parse_goodput(options.goodput);
  if (!options.perfetto.empty()) request.traced_steps = options.perfetto_steps;
  request.trace_from = Seconds(options.perfetto_from_s);
  request.on_progress = ProgressLines();
  const InterruptWatch watch;
  request.cancelled = &watch.interrupted();
  const auto begin = std::chrono::steady_clock::now();
  const SimulateResult result = simulate_serving(request);
  print_speed(result.run, std::chrono::steady_clock::now() - begin);
  if (!options.perfetto.empty()) write_file_atomically(options.perfetto, result.trace);
  if (!options.aiperf.empty()) write_file_atomically(options.aiperf, aiperf_jsonl(result.run.requests));
  if (options.json) {
    Json document = simulation_json(result.label, result.run, result.interval, options.details, slo);
    if (result.tuned) document["tuned"] = tuned_change_json(*result.tuned);
    print(json_text(document));
    return;
  }
  print(simulation_text(result.label, result.run, result.interval, slo));
  if (result.tuned) print(tuned_change_text(*result.tuned));
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simulate", "a whole serving run");
  const SetupOptions setup(*command);
  const DeploymentOptions deployment(*command);
  WorkloadRequestSource& source = options->request.source;
  command->add_option("--trace", options->trace, "a recorded trace (CSV or JSONL); or");
  command->add_option("--workload", source.workload, "a fitted workload, for example conversation");
  command->add_option("--requests", source.requests, "how many requests");
  command->add_option("--rate", source.rate, "requests/s in place of the recorded ones");
  command->add_option("--concurrency", source.concurrency, "closed loop with this many requests in flight");
  command->add_option("--images-per-request", source.images, "images before every prompt");
  command->add_option("--image-tokens", source.image_tokens, "tokens of an image")->capture_default_str();
  command->add_option("--vision-encoder", options->vision_encoder,
                      "a vision_config as JSON, or the path of a config.json that has one");
  command->add_option("--burstiness", source.burstiness,
                      "with --rate: shape of gamma gaps, 1 Poisson, below it bursts");
  command->add_option("--user-think-time", options->think_time_s,
                      "with --concurrency: mean seconds before a user's next request");
  command->add_option("--seed", source.seed, "of what is drawn")->capture_default_str();
  options->sessions = add_field_options(*command, fields_of<SessionShape>());
  command->add_option("--goodput", options->goodput, "limits in ms, for example ttft:500,tpot:50");
  command->add_option("--aiperf", options->aiperf, "writes one JSON line per request, as AIPerf does");
  command->add_option(
      "--tuned", options->tuned,
      "the .warploom.json of `moe-config`: the run with those configurations, and the change");
  command->add_option("--perfetto", options->perfetto, "writes a trace that ui.perfetto.dev opens");
  command->add_option("--perfetto-steps", options->perfetto_steps, "steps in that trace")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  command->add_option("--perfetto-from", options->perfetto_from_s, "first of them at this second of the run")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--threads", options->request.threads,
                      "for replicas that never meet; 0: as many as the machine has. No effect on results");
  command->add_flag("--no-intervals", options->no_intervals, "one run at p50, without those at p10 and p90");
  add_json_option(*command, options->json);
  command->add_flag("--details", options->details, "with --json: also arrays with one entry per request");
  command->callback([options, setup, deployment] { run(*options, setup, deployment); });
}

}  // namespace warploom
