#include "warploom/app/runs/calibrate_machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/app/runs/machine_fit.h"
#include "warploom/app/runs/onboarded_steps.h"
#include "warploom/app/runs/probe_file.h"
#include "warploom/app/runs/probe_reference.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/sealed_json.h"
#include "warploom/base/statistics.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {

FieldTable CalibrateMachineRequest::describe() {
  using R = CalibrateMachineRequest;
  return RequestFields<R>("calibrate_machine")
      .add("probe", &R::probe, {.doc = "what `python -m warploom.probe` wrote on the machine"})
      .add("onboarded", &R::onboarded, {.doc = "the folder that `python -m warploom.onboard` filled on it"})
      .add("base", &R::base, {.doc = "the host profile whose constants are scaled, a name or a file"})
      .add("noise_limit", &R::noise_limit,
           {.doc = "the most that work which is always the same may have varied", .min = 0, .max = 10})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("name", &R::name, {.doc = "of the new profile"})
      .add("output", &R::output, {.doc = "the new profile, JSON", .required = true})
      .table();
}

namespace {

// Which pieces of a probe stand for which of an engine's constants. The first list whose pieces were all
// probed, on both machines, is taken: the later ones need no GPU and say less.
struct ProbedGroup {
  HostGroup group;
  std::vector<std::vector<std::string_view>> works;
};
const std::vector<ProbedGroup>& probed_groups() {
  static const std::vector<ProbedGroup> groups{
      {HostGroup::Step,
       {{"python.scheduling", "engine.inputs", "engine.sampling"},
        {"python.scheduling", "python.numpy_inputs"}}},
      {HostGroup::Sequence, {{"python.scheduling", "python.token_lists"}}},
      {HostGroup::Pieces, {{"engine.piece"}, {"python.module_calls"}}},
      {HostGroup::Kernels, {{"engine.layer"}, {"python.module_calls"}}}};
  return groups;
}

// What of a virtual host's factor is there when the engine runs: three probes of one within ten minutes gave
// 1.2, 1.6 and 1.9, since others come and go on its cores (docs/decisions/0121).
constexpr double kKeptOfVirtualHosts = 0.5;

// The geometric means of the pieces' ratios to the base's machine, and of their ends. A host that is twice as
// slow for some of the time is by its means what a run of many steps meets; a few stalls are not.
HostScale host_scale(const ProbedGroup& probed, const ProbeFile& probe, const HostProfile& base) {
  const auto base_time = [&](std::string_view work) {
    const auto found = std::find_if(base.probe.begin(), base.probe.end(),
                                    [&](const ProbedWork& each) { return each.work == work; });
    return found == base.probe.end() ? Seconds(0.0) : found->time;
  };
  for (std::size_t choice = 0; choice < probed.works.size(); ++choice) {
    const auto& works = probed.works[choice];
    const bool known = std::all_of(works.begin(), works.end(), [&](std::string_view work) {
      return probe.times.find(work) != probe.times.end() && base_time(work) > Seconds(0.0);
    });
    if (!known) continue;
    double middle = 0, low = 0, high = 0;
    for (const std::string_view work : works) {
      const ProbedTime& time = probe.times.find(work)->second;
      middle += std::log(std::clamp(time.mean, time.p10, time.p90) / base_time(work)) / double(works.size());
      low += std::log(time.p10 / base_time(work)) / double(works.size());
      high += std::log(time.p90 / base_time(work)) / double(works.size());
    }
    return {probed.group, std::exp(middle), std::exp(std::min(low, middle)), std::exp(std::max(high, middle)),
            probe.virtual_host ? kKeptOfVirtualHosts : 1};
  }
  throw InvalidInput(fmt::format("probe: nothing in it says how fast {} is beside the machine of {}",
                                 name_of(probed.group), base.name));
}

// The loop that is always the same, over the rounds of the probe; 0 where it was not probed.
double host_level_of(const ProbeFile& probe) {
  const auto found = probe.times.find("reference.host");
  if (found == probe.times.end()) return 0;
  const ProbedTime& time = found->second;
  return std::clamp(time.mean, time.p10, time.p90) / time.p10;
}

// By how much that loop varied: the standard deviation of its logarithm by its tenths; 0 where it was not
// probed.
double pace_spread_of(const ProbeFile& probe) {
  constexpr double kTenths = 2 * 1.2815515655446004;  // between p10 and p90, in standard deviations
  const auto found = probe.times.find("reference.host");
  if (found == probe.times.end()) return 0;
  return std::log(found->second.p90 / found->second.p10) / kTenths;
}

WallErrors summary_of(std::vector<double> errors) {
  WallErrors summary{.bias = quantile(errors, 0.5)};
  for (double& error : errors) error = std::abs(error);
  summary.median = quantile(errors, 0.5);
  summary.p90 = quantile(errors, 0.9);
  return summary;
}

constexpr std::size_t kParts = 3, kLeastToJudge = 2 * kParts;

// Errors of sums: without factors, with those of fits to other sums, with `factors`.
MachineErrors errors_of(std::span<const MeasuredSum> sums, const KernelFactors& factors) {
  KernelFactors none;
  none.fill(1);
  const auto errors_at = [&](const auto& factors_of) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < sums.size(); ++i)
      errors.push_back(sums[i].at(factors_of(i)) / sums[i].measured - 1);
    return summary_of(std::move(errors));
  };
  MachineErrors found{.measured = sums.size()};
  found.before = errors_at([&](std::size_t) { return none; });
  found.after = errors_at([&](std::size_t) { return factors; });
  if (sums.size() >= kLeastToJudge) {
    const std::vector<KernelFactors> parts = fits_of_parts(sums);
    found.unseen = errors_at([&](std::size_t i) { return parts[i % kParts]; });
  }
  return found;
}

// The factors with their ends over the fits of parts, never nearer than two fits of the same may lie.
std::vector<KernelScale> kernel_scales(std::span<const MeasuredSum> sums, const KernelFactors& factors,
                                       double scatter) {
  constexpr double kLeastWidth = 0.01;  // of ln(factor): one card's products, timed twice
  const std::vector<KernelFactors> parts = fits_of_parts(sums);
  std::vector<KernelScale> scales;
  for (std::size_t i = 0; i < kKernelGroups; ++i) {
    const bool measured = std::any_of(
        sums.begin(), sums.end(), [&](const MeasuredSum& sum) { return sum.predicted[i] > Seconds(0.0); });
    if (KernelGroup(i) == KernelGroup::Rows && !measured) continue;  // a probe has none: as memory is
    double low = factors[i] * std::exp(-kLeastWidth), high = factors[i] * std::exp(kLeastWidth);
    for (const KernelFactors& part : parts) {
      low = std::min(low, part[i]);
      high = std::max(high, part[i]);
    }
    scales.push_back({KernelGroup(i), factors[i], low, high, scatter});
  }
  return scales;
}

std::vector<MeasuredSum> probed_sums(const ProbeFile& probe, const GpuSpec& gpu, const LatencyModel& model) {
  std::vector<MeasuredSum> sums;
  for (const ProbedProduct& product : probe.products) {
    const LatencyEstimate predicted = model.estimate(product.op, gpu);
    MeasuredSum sum{.measured = product.time.median};
    const std::optional<KernelGroup> group = group_of(product.op, predicted.bound);
    (group ? sum.predicted[std::size_t(*group)] : sum.other) = predicted.p50;
    sums.push_back(sum);
  }
  return sums;
}

// Half of the inner 80 percent of ln(at / measured).
double scatter_of(std::span<const MeasuredSum> sums, const KernelFactors& factors) {
  std::vector<double> errors;
  for (const MeasuredSum& sum : sums) errors.push_back(std::log(sum.at(factors) / sum.measured));
  return (quantile(errors, 0.9) - quantile(errors, 0.1)) / 2;
}

void add_kernels(MachineProfile& profile, std::span<const MeasuredSum> sums, double scatter) {
  profile.kernels = kernel_scales(sums, fit_kernels(sums), scatter);
}

KernelFactors factors_of(const MachineProfile& profile) {
  KernelFactors factors;
  factors.fill(1);
  for (const KernelScale& scale : profile.kernels) factors[std::size_t(scale.group)] = scale.factor;
  return factors;
}

void use_probe(const CalibrateMachineRequest& request, const LatencyModel& latency,
               CalibrateMachineResult& result) {
  const ProbeFile probe = read_probe(request.probe);
  if (probe.noise > request.noise_limit)
    throw InvalidInput(
        fmt::format("probe: {}: work that is always the same varied by {:.0f} %, expected at "
                    "most {:.0f} %: other work ran beside it",
                    request.probe.string(), 100 * probe.noise, 100 * request.noise_limit));
  MachineProfile& profile = result.profile;
  profile.measured_at = probe.measured_at;
  profile.host_level = host_level_of(probe);
  profile.pace_spread = pace_spread_of(probe);
  const HostProfile base = load_host_profile(request.base, request.files);
  if (!base.probe.empty()) {
    profile.base = request.base;
    for (const ProbedGroup& group : probed_groups()) profile.host.push_back(host_scale(group, probe, base));
  }
  if (probe.gpu.empty() || probe.products.empty()) {
    if (!profile.host.empty()) return;
    throw InvalidInput(
        fmt::format("probe: {} has no products of a GPU, and the machine of the base '{}' was "
                    "never probed; expected one of them",
                    request.probe.string(), base.name));
  }
  const GpuSpec gpu = GpuCatalog().load_gpu(probe.gpu, request.files);
  const std::vector<MeasuredSum> sums = probed_sums(probe, gpu, latency);
  profile.gpu = gpu.name;
  add_kernels(profile, sums, scatter_of(sums, fit_kernels(sums)));
  result.products = errors_of(sums, factors_of(profile));
  refer_to_engines(shipped_probe_reference(), gpu.name, profile.kernels);
}

// Factors and their ends over fits of parts.
std::vector<HostScale> fitted_host(const EngineHost& base, const LaunchedLayers& layers,
                                   const std::vector<TimedStep>& steps) {
  const HostFit whole = fit_host(base, layers, steps);
  std::vector<HostScale> scales;
  for (std::size_t i = 0; i < kHostGroups; ++i)
    scales.push_back({HostGroup(i), whole.factors[i], whole.factors[i], whole.factors[i]});
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<TimedStep> seen;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (i % kParts != part) seen.push_back(steps[i]);
    const HostFit fit = fit_host(base, layers, seen);
    for (std::size_t i = 0; i < kHostGroups; ++i) {
      scales[i].low = std::min(scales[i].low, fit.factors[i]);
      scales[i].high = std::max(scales[i].high, fit.factors[i]);
    }
  }
  return scales;
}

// Steps by the kernels that were measured in them, or else by the scaled predictions.
std::vector<TimedStep> timed(const OnboardedSteps& steps, const KernelFactors& factors, bool by_measured) {
  std::vector<TimedStep> times = steps.timed;
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i].gpu = by_measured ? steps.sums[i].measured : steps.sums[i].at(factors);
  return times;
}

std::vector<double> wall_errors(const HostModel& host, std::span<const TimedStep> steps) {
  std::vector<double> errors;
  for (const TimedStep& step : steps) errors.push_back(serial_wall(host, step) / step.wall - 1);
  return errors;
}

// Whole steps, predicted with kernels and host of fits to the other two thirds.
std::optional<WallErrors> unseen_walls(const OnboardedSteps& steps, const EngineHost& base) {
  if (steps.timed.size() < kLeastToJudge) return std::nullopt;
  const std::vector<KernelFactors> kernels = fits_of_parts(steps.sums);
  const std::vector<TimedStep> by_measured = timed(steps, {}, true);
  std::vector<double> errors;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::vector<TimedStep> predicted = timed(steps, kernels[part], false);
    std::vector<TimedStep> seen, hidden;
    for (std::size_t i = 0; i < predicted.size(); ++i)
      (i % kParts == part ? hidden : seen).push_back(i % kParts == part ? predicted[i] : by_measured[i]);
    const HostFit fit = fit_host(base, steps.layers, seen);
    const std::vector<double> more = wall_errors(scaled_host(base, fit.factors).of(steps.layers), hidden);
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return summary_of(std::move(errors));
}

void use_onboarded(const CalibrateMachineRequest& request, const std::shared_ptr<const LatencyModel>& latency,
                   CalibrateMachineResult& result) {
  const OnboardedSteps steps = read_onboarded(request.onboarded, request.files, latency);
  MachineProfile& profile = result.profile;
  if (!profile.gpu.empty() && profile.gpu != steps.gpu)
    throw InvalidInput(fmt::format("onboarded: {} ran on {}, the probe on {}; expected one GPU",
                                   request.onboarded.string(), steps.gpu, profile.gpu));
  // The engine's own kernels say more of it than the probe's, which keep what products scatter by.
  const double scatter = profile.kernels.empty() ? 0 : profile.kernels.front().scatter;
  const HostProfile base = load_host_profile(request.base, request.files);
  const ScaledBase from = scaled_base(base, steps.engine, steps.version);
  if (from.host.engine != steps.engine || from.name != base.name)
    throw InvalidInput(fmt::format("base: '{}' has no step times of {}, expected a profile that has",
                                   base.name, steps.engine));
  result.model = steps.model;
  profile.gpu = steps.gpu;
  profile.engine = steps.engine;
  profile.engine_version = steps.version;
  profile.model = steps.label;
  profile.scheme = steps.scheme;
  profile.kind = steps.kind;
  profile.base = request.base;
  std::vector<MeasuredSum> sums = steps.sums;
  sums.insert(sums.end(), steps.rows.begin(), steps.rows.end());
  add_kernels(profile, sums, scatter);
  const KernelFactors factors = factors_of(profile);
  result.kernels = errors_of(steps.sums, factors);
  profile.host = fitted_host(from.host, steps.layers, timed(steps, factors, true));
  KernelFactors none;
  none.fill(1);
  const HostModel fitted = scaled_host(from.host, profile.host_factors(from.host)).of(steps.layers);
  // The steps' own walls have all of the factors; what runs meet later is as little known as after a probe.
  if (steps.virtual_host)
    for (HostScale& scale : profile.host) scale.kept = kKeptOfVirtualHosts;
  result.walls =
      MachineErrors{.measured = steps.timed.size(),
                    .before = summary_of(wall_errors(scaled_host(from.host, from.stated).of(steps.layers),
                                                     timed(steps, none, false))),
                    .unseen = unseen_walls(steps, from.host),
                    .after = summary_of(wall_errors(fitted, timed(steps, factors, false)))};
}

}  // namespace

CalibrateMachineResult calibrate_machine(const CalibrateMachineRequest& request,
                                         const std::shared_ptr<const LatencyModel>& latency) {
  if (request.probe.empty() && request.onboarded.empty())
    throw InvalidInput("probe: missing, expected a probe, an onboarded engine's folder, or both");
  CalibrateMachineResult result;
  MachineProfile& profile = result.profile;
  profile.name = request.name.empty() ? request.output.stem().string() : request.name;
  std::vector<std::string> sources;
  if (!request.probe.empty()) {
    use_probe(request, *latency, result);
    sources.push_back(fmt::format("probe {}", request.probe.filename().string()));
  }
  if (!request.onboarded.empty()) {
    use_onboarded(request, latency, result);
    sources.push_back(fmt::format("{} steps of {} in {} {} on {}", result.walls->measured, result.model,
                                  profile.engine, profile.engine_version, profile.gpu));
  }
  profile.source = fmt::format("calibrate-machine: {}", fmt::join(sources, "; "));
  write_sealed_json(request.output, machine_profile_to_json(profile));
  return result;
}

}  // namespace warploom
