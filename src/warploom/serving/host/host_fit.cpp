#include "warploom/serving/host/host_fit.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

constexpr double kOutlier = 0.15;       // |ln(predicted / measured)| from which the loss grows linearly
constexpr double kMachineSpread = 0.7;  // of ln(factor): hosts differ by a factor of two
constexpr double kGroupSpread = 0.3;    // of ln(factor / factor of Step)
constexpr double kStepNoise = 0.05;     // of ln(wall), what priors are weighed against
constexpr double kFirstMove = 0.4, kLastMove = 0.002;  // of ln(factor), the search's steps

double bounded_square(double x) {
  const double size = std::abs(x);
  return size <= kOutlier ? x * x : kOutlier * (2 * size - kOutlier);
}

HostFactors exp_of(const HostFactors& logs) {
  HostFactors factors{};
  std::transform(logs.begin(), logs.end(), factors.begin(), [](double log) { return std::exp(log); });
  return factors;
}

double distance_from_machines(const HostFactors& logs) {
  double sum = std::pow(logs[0] / kMachineSpread, 2);
  for (std::size_t i = 1; i < logs.size(); ++i) sum += std::pow((logs[i] - logs[0]) / kGroupSpread, 2);
  return sum;
}

std::size_t steps_moved(const EngineHost& base, const LaunchedLayers& layers,
                        std::span<const TimedStep> steps, HostFactors factors, std::size_t group) {
  constexpr double kMore = 1.1, kSeen = 0.01;
  const HostModel before = scaled_host(base, factors).of(layers);
  factors[group] *= kMore;
  const HostModel after = scaled_host(base, factors).of(layers);
  return std::size_t(std::count_if(steps.begin(), steps.end(), [&](const TimedStep& step) {
    return serial_wall(after, step) / serial_wall(before, step) - 1 >= kSeen;
  }));
}

}  // namespace

EngineHost scaled_host(EngineHost base, const HostFactors& factors) {
  const auto scale = [&factors](HostGroup group, auto&... constants) {
    ((constants *= factors[std::size_t(group)]), ...);
  };
  scale(HostGroup::Step, base.schedule, base.prepare, base.launch_graph, base.finish);
  scale(HostGroup::Sequence, base.schedule_per_sequence, base.prepare_per_sequence, base.finish_per_sequence);
  scale(HostGroup::Pieces, base.piece, base.latent_piece);
  scale(HostGroup::Kernels, base.layer, base.experts, base.fused_experts, base.block_fp8_experts, base.latent,
        base.linear, base.collective);
  return base;
}

Seconds serial_wall(const HostModel& host, const TimedStep& step) {
  return step.gpu + host.overhead(step.gpu, step.sequences, step.mode, false);
}

double misfit_of(double predicted_over_measured) {
  return bounded_square(std::log(predicted_over_measured)) / (kStepNoise * kStepNoise);
}

HostFactors search_factors(const std::function<double(const HostFactors&)>& misfit, double last_move) {
  const auto loss = [&](const HostFactors& logs) {
    return misfit(exp_of(logs)) + distance_from_machines(logs);
  };
  HostFactors logs{};
  double best = loss(logs);
  // Moves the groups from `first` to before `last` together, where that lessens the loss.
  const auto move_groups = [&](std::size_t first, std::size_t last, double by) {
    HostFactors tried = logs;
    for (std::size_t i = first; i < last; ++i) tried[i] += by;
    const double found = loss(tried);
    if (found >= best * (1 - 1e-12)) return false;
    best = found;
    logs = tried;
    return true;
  };
  for (double size = kFirstMove; size > last_move; size /= 2) {
    for (bool better = true; better;) {
      better = false;
      for (const double by : {-size, size}) {
        better |= move_groups(0, kHostGroups, by);
        for (std::size_t i = 0; i < kHostGroups; ++i) better |= move_groups(i, i + 1, by);
      }
    }
  }
  return exp_of(logs);
}

HostFit fit_host(const EngineHost& base, const LaunchedLayers& layers, std::span<const TimedStep> steps) {
  HostFit fit;
  fit.factors = search_factors(
      [&](const HostFactors& factors) {
        const HostModel host = scaled_host(base, factors).of(layers);
        double sum = 0;
        for (const TimedStep& step : steps) sum += misfit_of(serial_wall(host, step) / step.wall);
        return sum;
      },
      kLastMove);
  for (std::size_t i = 0; i < kHostGroups; ++i)
    fit.steps[i] = steps_moved(base, layers, steps, fit.factors, i);
  return fit;
}

}  // namespace warploom
