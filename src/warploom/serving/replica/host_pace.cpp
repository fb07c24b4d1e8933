#include "warploom/serving/replica/host_pace.h"

#include <cmath>

namespace warploom {

HostPace::HostPace(double spread, const HostPaces& paces) : period_(to_sim_duration(paces.period)) {
  if (spread <= 0 || period_ <= SimDuration()) return;
  const double count = double(paces.levels.size());
  double mean = 0;
  for (const double level : paces.levels) mean += std::exp(spread * level) / count;
  for (const double level : paces.levels) paces_.push_back(std::exp(spread * level) / mean);
}

double HostPace::at(SimDuration after) const {
  if (paces_.empty()) return 1;
  // Steps of the golden ratio spread over the levels evenly, whatever their number. A run begins at a level
  // in the middle, so that one of a few steps is that of a host without a pace.
  constexpr double kGolden = 0.6180339887498949, kFirst = 0.45;
  const double turns = double(after.nanoseconds() / period_.nanoseconds()) * kGolden + kFirst;
  return paces_[std::size_t((turns - std::floor(turns)) * double(paces_.size())) % paces_.size()];
}

HostStep at_pace(HostStep step, double pace) {
  step.before = step.before * pace;
  step.launch = step.launch * pace;
  step.finish = step.finish * pace;
  return step;
}

}  // namespace warploom
