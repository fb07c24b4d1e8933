#include "warploom/baselines/network/training_parameters.h"

#include <cmath>

namespace warploom::baselines {
namespace {

// The defaults of the method and of PyTorch.
constexpr double kFirstDecay = 0.9, kSecondDecay = 0.999;
constexpr float kLeastDeviation = 1e-8F;

}  // namespace

void adam_step(Parameters& parameters, const AdamStep& step, float scale) {
  const auto number = double(step.number);
  const auto first = float(1 / (1 - std::pow(kFirstDecay, number)));
  const auto second = float(1 / (1 - std::pow(kSecondDecay, number)));
  const auto rate = float(step.rate), keep = float(1 - step.rate * step.weight_decay);
  constexpr auto kFirst = float(kFirstDecay), kSecond = float(kSecondDecay);
  const std::size_t count = parameters.values.size();
  float* value = parameters.values.data();
  float *m = parameters.first.data(), *v = parameters.second.data();
  const float* gradient = parameters.gradient.data();
  for (std::size_t i = 0; i < count; ++i) {
    const float g = scale * gradient[i];
    m[i] = kFirst * m[i] + (1 - kFirst) * g;
    v[i] = kSecond * v[i] + (1 - kSecond) * g * g;
    value[i] = keep * value[i] - rate * (m[i] * first) / (std::sqrt(v[i] * second) + kLeastDeviation);
  }
}

double gradient_norm(const std::vector<Parameters*>& parameters) {
  double sum = 0;
  for (const Parameters* each : parameters)
    for (const float g : each->gradient) sum += double(g) * double(g);
  return std::sqrt(sum);
}

}  // namespace warploom::baselines
