#include "warploom/measurements/repeat_noise.h"

#include <cmath>
#include <numbers>

#include "warploom/base/statistics.h"

namespace warploom {

void RepeatNoiseCounter::add(Family family, std::span<const double> latencies) {
  if (latencies.size() < 2) return;
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    double sum = 0;
    for (const double other : latencies) sum += std::abs(std::log(latencies[i] / other));
    errors_[family].push_back(sum / (double(latencies.size() - 1) * std::numbers::sqrt2));
  }
}

std::vector<RepeatNoise> RepeatNoiseCounter::summary() const {
  std::vector<RepeatNoise> result;
  for (const auto& [family, errors] : errors_)
    result.push_back({.family = family,
                      .rows = errors.size(),
                      .mean = mean(errors),
                      .median = quantile(errors, 0.5),
                      .p90 = quantile(errors, 0.9)});
  return result;
}

}  // namespace warploom
