#include "warploom/app/runs/validate_serving.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/statistics.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/simulation.h"

namespace warploom {

FieldTable ValidateServingRequest::describe() {
  using R = ValidateServingRequest;
  return RequestFields<R>("validate_serving")
      .add("run", &R::run, {.doc = "how the engine was started (JSON)", .required = true})
      .add(
          "requests", &R::requests,
          {.doc = "what happened to each request: a CSV, or a result of vllm bench serve, AIPerf or GuideLLM",
           .required = true})
      .add("benchmark", &R::benchmark,
           {.doc = "which benchmark of a GuideLLM report that holds several, from 0", .min = 0})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("require_tier", &R::require_tier, {.doc = "measured: refuse kernels that never were"})
      .add("expert_routing", &R::expert_routing, {.doc = kExpertRoutingDoc})
      .add("host", &R::host, {.doc = "constants of the host in place of the engine's"})
      .add("kernel_times", &R::kernel_times,
           {.doc = "where in their intervals the times of kernels and host lie"})
      .table();
}

namespace {

// Prompts of one group begin alike; what follows is each request's own.
void add_contents(Workload& workload, const std::vector<RealRequest>& requests) {
  const auto shares = [](const RealRequest& request) { return request.group.has_value(); };
  if (std::none_of(requests.begin(), requests.end(), shares)) return;
  std::map<std::int64_t, std::uint64_t> content_of_group;
  std::uint64_t next = 1;
  for (const RealRequest& request : requests) {
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
    if (request.group) {
      const auto [known, added] = content_of_group.try_emplace(*request.group, next);
      if (added) ++next;
      workload.content.push_back({known->second, request.prefix_tokens});
    }
    const std::int32_t own = request.input_tokens - request.prefix_tokens;
    if (own > 0) workload.content.push_back({next++, own});
  }
  workload.content_begin.push_back(std::uint32_t(workload.content.size()));
}

Workload workload_of(const MeasuredRequests& measured) {
  const std::vector<RealRequest>& requests = measured.requests;
  Workload workload;
  workload.name = "replay";
  std::map<std::int64_t, std::int32_t> latest_of_client;
  for (const RealRequest& request : requests) {
    WorkloadRequest next{to_sim_time(Seconds(request.arrival)), request.input_tokens, request.output_tokens};
    if (request.client) {
      const auto index = std::int32_t(workload.requests.size());
      const auto [before, first] = latest_of_client.try_emplace(*request.client, index);
      if (!first) {
        const double turnaround = request.arrival - requests[std::size_t(before->second)].last_token;
        next.after = before->second;
        next.delay = to_sim_duration(Seconds(std::max(0.0, turnaround)));
        before->second = index;
      }
    }
    workload.requests.push_back(next);
  }
  add_contents(workload, requests);
  if (measured.client && measured.client->replay == Replay::LimitedArrivals)
    workload.most_in_flight = measured.client->max_concurrency;
  if (measured.client && !measured.client->timed) workload.concurrency = measured.client->max_concurrency;
  return workload;
}

double tpot_of(const RealRequest& request) {
  return (request.last_token - request.first_token) / double(request.output_tokens - 1);
}

constexpr double kMs = 1e3;

// The samples of one metric over the requests, in s.
struct Samples {
  std::vector<double> measured, predicted;
};

void add_figures(std::vector<ServingFigure>& figures, const std::string& metric, Samples samples) {
  figures.push_back({metric, "mean", {kMs * mean(samples.measured), kMs * mean(samples.predicted)}});
  std::sort(samples.measured.begin(), samples.measured.end());
  std::sort(samples.predicted.begin(), samples.predicted.end());
  const auto add = [&](const char* name, double fraction) {
    figures.push_back({metric,
                       name,
                       {kMs * quantile_of_sorted(samples.measured, fraction),
                        kMs * quantile_of_sorted(samples.predicted, fraction)}});
  };
  add("p50", 0.5);
  add("p90", 0.9);
  add("p95", 0.95);
  add("p99", 0.99);
}

// By a client's clock latencies count from when it sent the request, by the engine's from when it took the
// request in.
void compare_latencies(ServingValidation& validation, const MeasuredRequests& run,
                       const std::vector<RequestRecord>& records) {
  const std::vector<RealRequest>& requests = run.requests;
  const auto start_of = [&](const RequestRecord& record) {
    return run.client ? record.arrival : record.taken_in;
  };
  Samples ttft, tpot, e2el, start;
  std::vector<double> tpot_errors;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const RealRequest& real = requests[i];
    const RequestRecord& record = records[i];
    ttft.measured.push_back(real.first_token - real.queued);
    ttft.predicted.push_back((record.first_token - start_of(record)).seconds().value());
    e2el.measured.push_back(real.last_token - real.queued);
    e2el.predicted.push_back((record.last_token - start_of(record)).seconds().value());
    if (real.scheduled) {
      start.measured.push_back(*real.scheduled);
      start.predicted.push_back(record.scheduled.seconds().value());
    }
    if (real.output_tokens < 2) continue;
    tpot.measured.push_back(tpot_of(real));
    tpot.predicted.push_back(record.tpot().value());
    // A client that got all tokens at once measured no time between them.
    if (tpot.measured.back() > 0)
      tpot_errors.push_back(std::abs(tpot.predicted.back() / tpot.measured.back() - 1.0));
  }
  add_figures(validation.latencies, "ttft", ttft);
  add_figures(validation.latencies, "tpot", tpot);
  add_figures(validation.latencies, "e2el", e2el);
  validation.tpot_request_error = mean(tpot_errors);
  if (!start.measured.empty())
    validation.start_order_correlation = spearman_correlation(start.measured, start.predicted);
}

// TTFT without the simulated front end, from when the request reaches the engine, and how long that takes.
ClientSide client_side_of(const MeasuredRequests& measured, const std::vector<RequestRecord>& records,
                          const HostModel& host, bool stated) {
  ClientSide side{.run = *measured.client,
                  .frontend_stated = stated,
                  .frontend_latency = host.frontend_latency,
                  .frontend_per_token = host.frontend_per_token};
  Samples ttft;
  std::vector<double> frontend;
  for (std::size_t i = 0; i < records.size(); ++i) {
    ttft.measured.push_back(measured.requests[i].first_token - measured.requests[i].queued);
    ttft.predicted.push_back((records[i].first_token - records[i].queued).seconds().value());
    frontend.push_back(kMs * (records[i].queued - records[i].arrival).seconds().value());
  }
  side.mean_frontend = mean(frontend);
  add_figures(side.engine_ttft, "ttft", ttft);
  return side;
}

void compare_throughput(ServingValidation& validation, const MeasuredRequests& measured,
                        const ServingMetrics& metrics) {
  const std::vector<RealRequest>& requests = measured.requests;
  double first = requests.front().queued, last = 0, tokens = 0;
  for (const RealRequest& request : requests) {
    first = std::min(first, request.queued);
    last = std::max(last, request.last_token);
    tokens += double(request.output_tokens);
  }
  const bool timed = !measured.client || measured.client->timed;
  const double duration = timed ? last - first : measured.client->duration.value();
  validation.duration = {duration, metrics.duration.value()};
  validation.output_throughput = {tokens / duration, metrics.output_throughput};
  validation.request_throughput = {double(requests.size()) / duration, metrics.request_throughput};
}

// The way to the engine's queue: none where the engine measured; what the run's record states, tokenising
// included, or else what clients of engines' servers see (of `setup`, as in every other run).
void settle_frontend(HostModel& host, const RealRun& run, const ServingSetup& setup, bool client) {
  host.frontend_latency = host.frontend_per_token = Seconds(0.0);
  if (!client) return;
  host.frontend_latency = run.client_latency.value_or(setup.config.host.frontend_latency);
  if (!run.client_latency) host.frontend_per_token = setup.config.host.frontend_per_token;
}

void check_clock(const HostSettings& host) {
  if (host.measured_at != MeasuredAt::Client)
    throw InvalidInput(
        "measured_at: each run's record says where its latencies were measured, expected none");
}

}  // namespace

OpenedRun open_run(const ValidateServingRequest& request,
                   const std::shared_ptr<const LatencyModel>& latency) {
  check_clock(request.host);
  RealRun run = read_real_run(request.run, request.files);
  run.setup.host = request.host;
  if (!request.expert_routing.empty()) run.setup.expert_routing = request.expert_routing;
  MeasuredRequests measured = read_measured_requests(
      request.requests, {.max_concurrency = run.max_concurrency, .benchmark = request.benchmark});
  ServingSetup setup = resolve_serving(run.setup, latency);
  Workload workload = workload_of(measured);
  Deployment deployment;
  deployment.pools.push_back({.config = setup.config, .pricer = setup.pricer.get()});
  return {std::move(run), std::move(measured), std::move(setup), std::move(workload), std::move(deployment)};
}

ServingValidation replay(OpenedRun& opened, const HostModel& host, StepTime kernel_times) {
  auto& [run, measured, setup, workload, deployment] = opened;
  ServingConfig& config = deployment.pools.front().config;
  config.host = host;
  config.host_at_end = setup.host_at(kernel_times);
  settle_frontend(config.host, run, setup, measured.client.has_value());
  const SimulationResult simulated =
      simulate(deployment, workload, {.step_time = kernel_times, .timeline_samples = 0});
  ServingValidation validation;
  validation.model = setup.model.name;
  validation.gpu = setup.gpu->name;
  validation.engine = config.engine;
  if (!run.setup.version.empty()) validation.engine += " " + run.setup.version;
  validation.expert_routing = setup.expert_routing();
  validation.host_profile = setup.host_profile;
  validation.gpus = setup.sharding.gpus();
  validation.requests = std::ssize(measured.requests);
  validation.kv_blocks = simulated.kv_blocks;
  compare_latencies(validation, measured, simulated.requests);
  compare_throughput(validation, measured, simulated.metrics);
  if (measured.client)
    validation.client =
        client_side_of(measured, simulated.requests, config.host, run.client_latency.has_value());
  const StepTotals& totals = simulated.totals;
  validation.host_share = totals.host / (totals.host + totals.gpu_p50);
  validation.tier = trust_of(simulated.kernels).tier;
  validation.kernels = simulated.kernels;
  return validation;
}

ServingValidation validate_serving(const ValidateServingRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency) {
  check_queue_host(request.host, "validate serving");
  OpenedRun opened = open_run(request, latency);
  ServingValidation validation = replay(opened, opened.setup.config.host, request.kernel_times);
  check_required_tier(request.require_tier, validation.kernels);
  return validation;
}

ServingValidation validate_serving(const ValidateServingRequest& request) {
  return validate_serving(request, open_latency_model(request.predictor, request.files));
}

}  // namespace warploom
