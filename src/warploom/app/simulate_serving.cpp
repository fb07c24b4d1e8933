#include "warploom/app/simulate_serving.h"

#include <fmt/format.h>

#include <future>

#include "warploom/app/latency_models.h"
#include "warploom/app/trace_run.h"
#include "warploom/base/error.h"
#include "warploom/serving/workload/fitted_workload.h"
#include "warploom/serving/workload/trace_file.h"

namespace warploom {
namespace {

void check_source(const WorkloadRequestSource& source) {
  const int given =
      int(!source.trace.empty()) + int(!source.workload.empty()) + int(source.sessions.has_value());
  if (given != 1) {
    throw InvalidInput(
        fmt::format("workload: expected one of a trace (--trace FILE), a fitted workload (--workload {}) and "
                    "sessions (--sessions N)",
                    fmt::join(fitted_workload_names(), "|")));
  }
  if (source.rate && source.concurrency) {
    throw InvalidInput("workload: --rate and --concurrency exclude each other, expected one of them");
  }
  if (source.sessions && (source.requests || source.rate)) {
    throw InvalidInput(
        "workload: --requests and --rate do not go with --sessions, expected --turns and --session-rate");
  }
  if (source.requests && *source.requests < 1) {
    throw InvalidInput(fmt::format("--requests is {}, expected at least 1", *source.requests));
  }
  if (source.concurrency && *source.concurrency < 1) {
    throw InvalidInput(fmt::format("--concurrency is {}, expected at least 1", *source.concurrency));
  }
  if (source.rate && !(*source.rate > 0)) {
    throw InvalidInput(fmt::format("--rate is {}, expected above 0 requests/s", *source.rate));
  }
}

Workload open_trace(const WorkloadRequestSource& source) {
  Workload workload = read_trace_file(source.trace, source.requests.value_or(0)).workload;
  if (source.concurrency) return workload;
  if (workload.timed && source.rate) {
    rescale_arrivals(workload, *source.rate);
  } else if (source.rate) {
    set_poisson_arrivals(workload, *source.rate, source.seed);
  } else if (!workload.timed) {
    throw InvalidInput(
        fmt::format("{}: states no arrival times, expected --rate or --concurrency", source.trace.string()));
  }
  return workload;
}

RunLabel label_of(const SimulateRequest& request, const ServingSetup& setup, const Workload& workload,
                  std::span<const KernelTime> kernels) {
  RunLabel label;
  label.model = setup.model.name;
  label.gpu = setup.gpu->name;
  label.gpus = setup.sharding.gpus();
  label.engine = setup.config.engine;
  if (!request.setup.version.empty()) label.engine += " " + request.setup.version;
  label.workload = workload.name;
  label.tier = setup.latency->tier();
  label.extrapolated = setup.latency->extrapolated();
  Seconds total;
  for (const KernelTime& kernel : kernels) total += kernel.time;
  for (const KernelTime& kernel : kernels) {
    label.tier_shares[std::size_t(setup.latency->tier(kernel.family))] += kernel.time / total;
  }
  return label;
}

}  // namespace

Workload open_workload(const WorkloadRequestSource& source) {
  check_source(source);
  Workload workload = source.sessions        ? session_workload(*source.sessions, source.seed)
                      : source.trace.empty() ? sample_workload(fitted_workload(source.workload),
                                                               source.requests.value_or(kDefaultRequests),
                                                               source.rate, source.seed)
                                             : open_trace(source);
  if (source.concurrency) set_closed_loop(workload, *source.concurrency);
  return workload;
}

SimulateResult simulate_serving(const SimulateRequest& request, const LatencyModel& latency) {
  check_simulated_engine(request.setup.config.engine);
  const Workload workload = open_workload(request.source);
  const ServingSetup setup = resolve_serving(request.setup, latency);
  const auto run = [&](StepTime step_time) {
    SimulationOptions options;
    options.step_time = step_time;
    options.cancelled = request.cancelled;
    if (step_time == StepTime::Mid) {
      options.on_progress = request.on_progress;
      options.recorded_steps = request.traced_steps;
      options.record_from = to_sim_time(request.trace_from);
    } else {
      options.timeline_samples = 0;
    }
    return simulate(setup.config, workload, *setup.pricer, options);
  };
  auto low = std::async(std::launch::async, [&] { return run(StepTime::Low).metrics; });
  auto high = std::async(std::launch::async, [&] { return run(StepTime::High).metrics; });
  SimulateResult result;
  result.run = run(StepTime::Mid);
  result.interval = {low.get(), high.get()};
  if (result.run.partial) result.interval = {};
  if (request.traced_steps > 0) result.trace = trace_run(result.run, setup, latency);
  result.label = label_of(request, setup, workload, result.run.kernels);
  return result;
}

SimulateResult simulate_serving(const SimulateRequest& request) {
  const auto latency = open_latency_model(request.setup.predictor);
  return simulate_serving(request, *latency);
}

}  // namespace warploom
