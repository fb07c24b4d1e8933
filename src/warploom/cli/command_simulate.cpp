#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "warploom/app/simulate_serving.h"
#include "warploom/cli/command.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/setup_options.h"

namespace warploom {
namespace {

struct Options {
  SimulateRequest request;
  std::string trace;
  bool json = false, details = false;
};

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

void run(Options& options, const SetupOptions& setup) {
  SimulateRequest& request = options.request;
  request.setup = setup.parsed();
  request.source.trace = options.trace;
  request.on_progress = ProgressLines();
  const InterruptWatch watch;
  request.cancelled = &watch.interrupted();
  const SimulateResult result = simulate_serving(request);
  print(options.json ? json_text(simulation_json(result.label, result.run, result.interval, options.details))
                     : simulation_text(result.label, result.run, result.interval));
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simulate", "a whole serving run");
  const SetupOptions setup(*command);
  WorkloadRequestSource& source = options->request.source;
  command->add_option("--trace", options->trace, "a recorded trace (CSV or JSONL); or");
  command->add_option("--workload", source.workload, "a fitted workload, for example conversation");
  command->add_option("--requests", source.requests, "how many requests");
  command->add_option("--rate", source.rate, "requests/s in place of the recorded ones");
  command->add_option("--concurrency", source.concurrency, "closed loop with this many requests in flight");
  command->add_option("--seed", source.seed, "of what is drawn")->capture_default_str();
  add_json_option(*command, options->json);
  command->add_flag("--details", options->details, "with --json: also arrays with one entry per request");
  command->callback([options, setup] { run(*options, setup); });
}

}  // namespace warploom
