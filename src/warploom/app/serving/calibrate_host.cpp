#include "warploom/app/serving/calibrate_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/app/serving/host_steps.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/sealed_json.h"
#include "warploom/base/statistics.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {

FieldTable CalibrateHostRequest::describe() {
  using R = CalibrateHostRequest;
  return RequestFields<R>("calibrate_host")
      .add("steps", &R::steps,
           {.doc = "steps timed one by one: columns kind, batch and wall_ms; needs the model and the GPU"})
      .add("run", &R::runs, {.doc = "in place of steps: how the engine of each run was started (JSON)"})
      .add("requests", &R::requests, {.doc = "what happened to the requests of each run, in their order"})
      .add("model", &R::model, {.doc = "the model whose steps they are"})
      .add("gpu", &R::gpu, {.doc = "the GPU that they ran on"})
      .add("engine", &R::engine, {.doc = "the engine that ran it"})
      .add("engine_version", &R::engine_version, {.doc = "version of the engine"})
      .add("quantization", &R::quantization, {.doc = "every linear layer in this scheme, for example fp8"})
      .add("expert_routing", &R::expert_routing, {.doc = kExpertRoutingDoc})
      .add("tensor_parallel_size", &R::tensor_parallel_size, {.doc = "GPUs that shared each layer", .min = 1})
      .add("enforce_eager", &R::enforce_eager, {.doc = "the engine ran without CUDA graphs"})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("base", &R::base, {.doc = "the host profile whose constants are scaled, a name or a file"})
      .add("name", &R::name, {.doc = "of the new profile"})
      .add("output", &R::output, {.doc = "the new profile, JSON", .required = true})
      .table();
}

namespace {

std::vector<TimedStep> priced_steps(const ServingSetup& setup, const std::vector<MeasuredStep>& measured) {
  const GraphLimits graphs = graph_limits_of(setup.config);
  std::vector<TimedStep> steps;
  for (const MeasuredStep& step : measured) {
    const Seconds gpu = price_graph(setup, step.shape).gpu.p50;
    steps.push_back({gpu, step.wall, step.shape.requests(),
                     graphs.mode(StepShape::tokens_of(step.shape.prefill), step.shape.tokens())});
  }
  return steps;
}

// predicted / measured - 1 of each step.
void add_errors(const HostModel& host, std::span<const TimedStep> steps, std::vector<double>& errors) {
  for (const TimedStep& step : steps) errors.push_back(serial_wall(host, step) / step.wall - 1);
}

WallErrors summary_of(std::vector<double> errors) {
  WallErrors summary{.bias = quantile(errors, 0.5)};
  for (double& error : errors) error = std::abs(error);
  summary.median = quantile(errors, 0.5);
  summary.p90 = quantile(errors, 0.9);
  return summary;
}

WallErrors errors_of(const HostModel& host, std::span<const TimedStep> steps) {
  std::vector<double> errors;
  add_errors(host, steps, errors);
  return summary_of(std::move(errors));
}

std::optional<WallErrors> errors_of_unseen(const EngineHost& base, const LaunchedLayers& layers,
                                           const std::vector<TimedStep>& steps) {
  constexpr std::size_t kParts = 3, kLeast = 2 * kParts;
  if (steps.size() < kLeast) return std::nullopt;
  std::vector<double> errors;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<TimedStep> seen, hidden;
    for (std::size_t i = 0; i < steps.size(); ++i) (i % kParts == part ? hidden : seen).push_back(steps[i]);
    const HostFit fit = fit_host(base, layers, seen);
    add_errors(scaled_host(base, fit.factors).of(layers), hidden, errors);
  }
  return summary_of(std::move(errors));
}

ServingSetupRequest setup_of(const CalibrateHostRequest& request) {
  check_simulated_engine(request.engine);
  ServingSetupRequest setup;
  setup.model = request.model;
  setup.gpu = request.gpu;
  setup.files = request.files;
  setup.version = request.engine_version;
  setup.quantization = request.quantization;
  setup.expert_routing = request.expert_routing;
  setup.config.engine = request.engine;
  setup.config.tensor_parallel_size = request.tensor_parallel_size;
  setup.config.enforce_eager = request.enforce_eager;
  return setup;
}

void check_given(const CalibrateHostRequest& request) {
  if (request.steps.empty()) throw InvalidInput("steps: none; expected steps, or runs and their requests");
  if (request.model.empty()) throw InvalidInput("model: missing, expected the model whose steps they are");
  if (request.gpu.empty()) throw InvalidInput("gpu: missing, expected the GPU that the steps ran on");
}

ScaledBase undisturbed(const EngineHost& entry, std::string name) {
  ScaledBase base{entry, {}, std::move(name)};
  base.stated.fill(1);
  HostFactors quiet = base.stated;
  for (const HostGroup launches : {HostGroup::Pieces, HostGroup::Kernels}) {
    base.stated[std::size_t(launches)] = entry.launches_level;
    quiet[std::size_t(launches)] = 1 / entry.launches_level;
  }
  base.host = scaled_host(entry, quiet);
  base.host.since.clear();
  base.host.fast = base.host.slow = base.host.launches_level = 1;
  return base;
}

}  // namespace

ScaledBase scaled_base(const HostProfile& profile, const std::string& engine, const std::string& version) {
  const EngineHost* donor = nullptr;
  for (const EngineHost& host : profile.engines) {
    if (host.prepare <= Seconds(0.0) || host.layer <= Seconds(0.0)) continue;
    if (host.engine == engine) {
      return undisturbed(profile.engine(engine, version), profile.name);
    }
    if (donor == nullptr) donor = &host;
  }
  if (donor == nullptr)
    throw InvalidInput(
        fmt::format("base: '{}' holds no times of single steps, which the fit scales; expected a measured "
                    "profile such as xeon_16_cores",
                    profile.name));
  ScaledBase base = undisturbed(*donor, fmt::format("{} (times of {})", profile.name, donor->engine));
  base.host.engine = engine;
  return base;
}

std::string profile_name(const CalibrateHostRequest& request) {
  return request.name.empty() ? request.output.stem().string() : request.name;
}

CalibrateHostResult calibrate_host(const CalibrateHostRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency) {
  check_given(request);
  std::vector<MeasuredStep> measured;
  for (const auto& path : request.steps) {
    const std::vector<MeasuredStep> more = read_measured_steps(path);
    measured.insert(measured.end(), more.begin(), more.end());
  }
  const ServingSetup setup = resolve_serving(setup_of(request), latency, MemoryCheck::None);
  const EngineSpec& engine = engine_named(setup.config.engine);
  const ScaledBase from =
      scaled_base(load_host_profile(request.base, request.files), setup.config.engine, setup.kernels.version);
  const EngineHost& base = from.host;
  const LaunchedLayers layers = launched_layers(engine, setup);
  const std::vector<TimedStep> steps = priced_steps(setup, measured);

  CalibrateHostResult result;
  result.model = setup.model.name;
  result.gpu = setup.gpu->name;
  result.engine = setup.engine_text();
  result.base = from.name;
  result.steps = steps.size();
  result.before = errors_of(scaled_host(base, from.stated).of(layers), steps);
  result.fit = fit_host(base, layers, steps);
  result.unseen = errors_of_unseen(base, layers, steps);
  const EngineHost fitted = scaled_host(base, result.fit.factors);
  result.after = errors_of(fitted.of(layers), steps);
  result.profile = {.name = profile_name(request),
                    .title = {},
                    .source = fmt::format("calibrate-host: {} steps of {} on {}, {}, from {}", steps.size(),
                                          result.model, result.gpu, result.engine, result.base),
                    .engines = {fitted}};
  write_sealed_json(request.output, host_profile_to_json(result.profile));
  return result;
}

}  // namespace warploom
