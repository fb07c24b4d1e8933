#include "warploom/app/runs/calibrate_host_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/base/counted.h"
#include "warploom/base/error.h"
#include "warploom/base/sealed_json.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 4> kFittedLatencies{
    {{"tpot", "mean"}, {"ttft", "mean"}, {"ttft", "p50"}, {"ttft", "p90"}}};
// The last move of ln(factor): a run costs a simulation, and its latencies do not tell smaller moves.
constexpr double kLastRunMove = 0.04;

using Ratios = std::array<double, kFittedLatencies.size()>;  // predicted / measured

Ratios ratios_of(const ServingValidation& validation) {
  Ratios ratios{};
  for (const ServingFigure& one : validation.latencies)
    for (std::size_t i = 0; i < ratios.size(); ++i)
      if (one.metric == kFittedLatencies[i].first && one.statistic == kFittedLatencies[i].second)
        ratios[i] = one.figure.predicted / one.figure.measured;
  return ratios;
}

RunErrors errors_of_run(const Ratios& ratios) {
  return {ratios[0] - 1, ratios[1] - 1, ratios[2] - 1, ratios[3] - 1};
}

// The runs, opened once; simulated by one host after the other.
class RunsOfHost {
 public:
  RunsOfHost(const CalibrateHostRequest& request, const std::shared_ptr<const LatencyModel>& latency,
             const HostProfile& base) {
    for (std::size_t i = 0; i < request.runs.size(); ++i) {
      ValidateServingRequest one;
      one.files = request.files;
      one.run = request.runs[i];
      one.requests = request.requests[i];
      runs_.push_back(open_run(one, latency));
      check_engine(request.runs[i]);
      const ServingSetup& setup = runs_.back().setup;
      layers_.push_back(launched_layers(engine_named(setup.config.engine), setup));
    }
    base_ = scaled_base(base, runs_.front().setup.config.engine, runs_.front().setup.kernels.version);
  }

  std::size_t size() const { return runs_.size(); }
  const EngineHost& base() const { return base_.host; }
  const HostFactors& stated() const { return base_.stated; }
  const std::string& base_name() const { return base_.name; }
  const ServingSetup& setup(std::size_t run) const { return runs_[run].setup; }

  Ratios ratios(std::size_t run, const HostFactors& factors) {
    return ratios_of(replay(runs_[run], scaled_host(base_.host, factors).of(layers_[run])));
  }

  // Without the run `hidden`, where it is one of them.
  HostFactors fit_without(std::size_t hidden) {
    return search_factors(
        [&](const HostFactors& factors) {
          double sum = 0;
          for (std::size_t run = 0; run < size(); ++run) {
            if (run == hidden) continue;
            for (const double ratio : ratios(run, factors)) sum += misfit_of(ratio);
          }
          return sum;
        },
        kLastRunMove);
  }

  // Latencies that a tenth more of the group moves by a percent.
  std::size_t moved(HostFactors factors, std::size_t group) {
    constexpr double kMore = 1.1, kSeen = 0.01;
    HostFactors more = factors;
    more[group] *= kMore;
    std::size_t count = 0;
    for (std::size_t run = 0; run < size(); ++run) {
      const Ratios before = ratios(run, factors), after = ratios(run, more);
      for (std::size_t i = 0; i < before.size(); ++i) count += after[i] / before[i] - 1 >= kSeen ? 1 : 0;
    }
    return count;
  }

 private:
  void check_engine(const std::filesystem::path& path) const {
    const std::string &first = runs_.front().setup.config.engine, &last = runs_.back().setup.config.engine;
    if (first != last)
      throw InvalidInput(fmt::format("run: '{}' is of {}, the one before of {}; expected runs of one engine",
                                     path.string(), last, first));
  }

  ScaledBase base_;
  std::vector<OpenedRun> runs_;
  std::vector<LaunchedLayers> layers_;  // by run
};

void check_fields(const CalibrateHostRequest& request) {
  if (!request.steps.empty()) throw InvalidInput("steps: given beside run; expected one of them");
  if (request.requests.size() != request.runs.size())
    throw InvalidInput(fmt::format("requests: {} for {}; expected one for each",
                                   counted(std::ssize(request.requests), "file"),
                                   counted(std::ssize(request.runs), "run")));
  const CalibrateHostRequest plain;
  const auto refuse = [](bool given, const char* field) {
    if (given) throw InvalidInput(fmt::format("{}: changes nothing beside run, which says it itself", field));
  };
  refuse(!request.model.empty(), "model");
  refuse(!request.gpu.empty(), "gpu");
  refuse(request.engine != plain.engine, "engine");
  refuse(!request.engine_version.empty(), "engine_version");
  refuse(!request.quantization.empty(), "quantization");
  refuse(!request.expert_routing.empty(), "expert_routing");
  refuse(request.tensor_parallel_size != plain.tensor_parallel_size, "tensor_parallel_size");
  refuse(request.enforce_eager, "enforce_eager");
}

std::vector<CalibratedRun> judged_runs(const CalibrateHostRequest& request, RunsOfHost& runs,
                                       const HostFactors& factors) {
  std::vector<CalibratedRun> judged;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CalibratedRun one{.run = request.runs[i].stem().string(),
                      .model = runs.setup(i).model.name,
                      .before = errors_of_run(runs.ratios(i, runs.stated())),
                      .unseen = {},
                      .after = errors_of_run(runs.ratios(i, factors))};
    if (runs.size() > 1) one.unseen = errors_of_run(runs.ratios(i, runs.fit_without(i)));
    judged.push_back(std::move(one));
  }
  return judged;
}

}  // namespace

HostCalibration calibrate_host_to(const CalibrateHostRequest& request,
                                  const std::shared_ptr<const LatencyModel>& latency) {
  if (request.runs.empty()) {
    if (!request.requests.empty())
      throw InvalidInput("requests: changes nothing by itself, expected run too");
    return {.host = calibrate_host(request, latency), .runs = {}};
  }
  check_fields(request);
  const HostProfile base = load_host_profile(request.base, request.files);
  RunsOfHost runs(request, latency, base);

  HostCalibration result;
  CalibrateHostResult& host = result.host;
  host.model = runs.setup(0).model.name;
  host.gpu = runs.setup(0).gpu->name;
  host.engine = runs.setup(0).engine_text();
  host.base = runs.base_name();
  host.fit.factors = runs.fit_without(runs.size());
  for (std::size_t i = 0; i < kHostGroups; ++i) host.fit.steps[i] = runs.moved(host.fit.factors, i);
  result.runs = judged_runs(request, runs, host.fit.factors);
  host.profile = {
      .name = profile_name(request),
      .title = {},
      .source = fmt::format("calibrate-host: {} on {}, {}, from {}", counted(std::ssize(request.runs), "run"),
                            host.gpu, host.engine, host.base),
      .engines = {scaled_host(runs.base(), host.fit.factors)}};
  write_sealed_json(request.output, host_profile_to_json(host.profile));
  return result;
}

HostCalibration calibrate_host_to(const CalibrateHostRequest& request) {
  return calibrate_host_to(request, open_latency_model(request.predictor, request.files));
}

}  // namespace warploom
