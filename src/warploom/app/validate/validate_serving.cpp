#include "warploom/app/validate/validate_serving.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/statistics.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/serving/simulation.h"

namespace warploom {

FieldTable ValidateServingRequest::describe() {
  using R = ValidateServingRequest;
  return RequestFields<R>("validate_serving")
      .add("run", &R::run, {.doc = "how the engine was started (JSON)", .required = true})
      .add("requests", &R::requests, {.doc = "what happened to each request (CSV)", .required = true})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("expert_routing", &R::expert_routing, {.doc = kExpertRoutingDoc})
      .add("host", &R::host, {.doc = "constants of the host in place of the engine's"})
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

Workload workload_of(const std::vector<RealRequest>& requests) {
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
  return workload;
}

double tpot_of(const RealRequest& request) {
  return (request.last_token - request.first_token) / double(request.output_tokens - 1);
}

// The samples of one metric over the requests, in s.
struct Samples {
  std::vector<double> measured, predicted;
};

void add_figures(ServingValidation& validation, const std::string& metric, Samples samples) {
  constexpr double kMs = 1e3;
  validation.latencies.push_back(
      {metric, "mean", {kMs * mean(samples.measured), kMs * mean(samples.predicted)}});
  std::sort(samples.measured.begin(), samples.measured.end());
  std::sort(samples.predicted.begin(), samples.predicted.end());
  const auto add = [&](const char* name, double fraction) {
    validation.latencies.push_back({metric,
                                    name,
                                    {kMs * quantile_of_sorted(samples.measured, fraction),
                                     kMs * quantile_of_sorted(samples.predicted, fraction)}});
  };
  add("p50", 0.5);
  add("p90", 0.9);
  add("p99", 0.99);
}

void compare_latencies(ServingValidation& validation, const std::vector<RealRequest>& requests,
                       const std::vector<RequestRecord>& records) {
  Samples ttft, tpot, e2el, start;
  std::vector<double> tpot_errors;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const RealRequest& real = requests[i];
    const RequestRecord& record = records[i];
    ttft.measured.push_back(real.first_token - real.queued);
    ttft.predicted.push_back((record.first_token - record.taken_in).seconds().value());
    e2el.measured.push_back(real.last_token - real.queued);
    e2el.predicted.push_back((record.last_token - record.taken_in).seconds().value());
    start.measured.push_back(real.scheduled);
    start.predicted.push_back(record.scheduled.seconds().value());
    if (real.output_tokens < 2) continue;
    tpot.measured.push_back(tpot_of(real));
    tpot.predicted.push_back(record.tpot().value());
    tpot_errors.push_back(std::abs(tpot.predicted.back() / tpot.measured.back() - 1.0));
  }
  add_figures(validation, "ttft", ttft);
  add_figures(validation, "tpot", tpot);
  add_figures(validation, "e2el", e2el);
  validation.tpot_request_error = mean(tpot_errors);
  validation.start_order_correlation = spearman_correlation(start.measured, start.predicted);
}

void compare_throughput(ServingValidation& validation, const std::vector<RealRequest>& requests,
                        const ServingMetrics& metrics) {
  double first = requests.front().queued, last = 0, tokens = 0;
  for (const RealRequest& request : requests) {
    first = std::min(first, request.queued);
    last = std::max(last, request.last_token);
    tokens += double(request.output_tokens);
  }
  const double duration = last - first;
  validation.duration = {duration, metrics.duration.value()};
  validation.output_throughput = {tokens / duration, metrics.output_throughput};
  validation.request_throughput = {double(requests.size()) / duration, metrics.request_throughput};
}

}  // namespace

ServingValidation validate_serving(const ValidateServingRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency) {
  RealRun run = read_real_run(request.run);
  run.setup.host = request.host;
  if (!request.expert_routing.empty()) run.setup.expert_routing = request.expert_routing;
  const std::vector<RealRequest> requests = read_real_requests(request.requests);
  ServingSetup setup = resolve_serving(run.setup, latency);
  setup.config.host.frontend_latency = setup.config.host.frontend_per_token = Seconds(0.0);
  const SimulationResult simulated =
      simulate(setup.config, workload_of(requests), *setup.pricer, {.timeline_samples = 0});
  ServingValidation validation;
  validation.model = setup.model.name;
  validation.gpu = setup.gpu->name;
  validation.engine = setup.config.engine + " " + run.setup.version;
  validation.expert_routing = setup.expert_routing();
  validation.host_profile = setup.host_profile;
  validation.gpus = setup.sharding.gpus();
  validation.requests = std::ssize(requests);
  validation.kv_blocks = simulated.kv_blocks;
  compare_latencies(validation, requests, simulated.requests);
  compare_throughput(validation, requests, simulated.metrics);
  const StepTotals& totals = simulated.totals;
  validation.host_share = totals.host / (totals.host + totals.gpu_p50);
  validation.tier = weakest_tier(simulated.kernels);
  validation.kernels = simulated.kernels;
  return validation;
}

ServingValidation validate_serving(const ValidateServingRequest& request) {
  return validate_serving(request, open_latency_model(request.predictor));
}

}  // namespace warploom
