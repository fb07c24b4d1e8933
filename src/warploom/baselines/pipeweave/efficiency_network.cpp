#include "warploom/baselines/pipeweave/efficiency_network.h"

#include <algorithm>
#include <cmath>

#include "warploom/baselines/network/train_network.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kQuantileEpochs = 200;  // published, of the pinball loss

// Kept off its ends, so that a latency stays finite.
double efficiency_of(double output) {
  constexpr double kMostOutput = 30;
  return 1 / (1 + std::exp(-std::clamp(output, -kMostOutput, kMostOutput)));
}

std::vector<double> logarithms(std::span<const double> features) {
  std::vector<double> inputs(features.begin(), features.end());
  for (double& input : inputs) input = std::log1p(input);
  return inputs;
}

NetworkOptions published_options(const EfficiencyTraining& training) {
  NetworkOptions options;
  options.hidden = {256, 128, 64};
  options.standardise = false;
  options.batch_norm = true;
  options.dropout = 0.1;
  options.initial = InitialWeights::Uniform;
  options.batch = 1024;
  options.fewest_steps = 0;
  options.rate = 1e-3;
  options.weight_decay = 1e-4;
  options.most_gradient = 1;
  options.seed = training.seed;
  options.progress = training.progress;
  options.epochs = training.epochs;
  options.schedule = RateSchedule::Plateau;
  if (training.quantile > 0) {
    // No rows are apart to choose a state by, so the last one must have come to rest.
    options.epochs = std::min(training.epochs, kQuantileEpochs);
    options.schedule = RateSchedule::Cosine;
    return options;
  }
  options.validation_share = 0.2;
  options.patience = 85;
  return options;
}

}  // namespace

EfficiencyNetwork::EfficiencyNetwork(const EfficiencyRows& rows, const EfficiencyTraining& training) {
  const std::vector<double>& truth = rows.efficiency;
  const double quantile = training.quantile;
  const NetworkLoss loss = [&](std::size_t row, std::span<const float> outputs, std::span<float> gradient) {
    const double predicted = efficiency_of(double(outputs[0])), off = predicted - truth[row];
    const double by_output = predicted * (1 - predicted);
    if (quantile > 0) {
      gradient[0] = float((off < 0 ? -quantile : 1 - quantile) * by_output);
      return off < 0 ? -quantile * off : (1 - quantile) * off;
    }
    gradient[0] = float((off < 0 ? -1 : 1) / truth[row] * by_output);
    return std::abs(off) / truth[row];
  };
  const auto [low, high] = std::minmax_element(truth.begin(), truth.end());
  if (low != truth.end()) range_ = {*low, *high};
  network_ = train_network(logarithms(rows.features), rows.width, 1, loss, published_options(training));
}

double EfficiencyNetwork::efficiency(std::span<const double> features) const {
  double output = 0;
  network_.answer(logarithms(features), {&output, 1});
  return std::clamp(efficiency_of(output), range_.low, range_.high);
}

}  // namespace warploom::baselines
