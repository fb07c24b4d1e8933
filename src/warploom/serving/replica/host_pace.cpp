#include "warploom/serving/replica/host_pace.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace warploom {
namespace {

// How slow a host was in the middle of each tenth of the time, fastest first, in standard deviations of the
// logarithm: a third of it fast, the rest near one slow level, and stalls. tools/engine_truth/host_pace.py.
constexpr std::array kLevels{-1.41, -1.29, -1.12, -0.30, 0.11, 0.26, 0.40, 0.55, 0.86, 1.93};

}  // namespace

double host_pace(SimTime now, double spread) {
  if (spread <= 0) return 1;
  // Steps of the golden ratio spread over the levels evenly, whatever their number. A run begins at a level
  // in the middle, so that one of a few steps is that of a host without a pace.
  constexpr double kGolden = 0.6180339887498949, kFirst = 0.45;
  const double turns = double(now.nanoseconds() / kHostPacePeriod.nanoseconds()) * kGolden + kFirst;
  const auto level = std::size_t((turns - std::floor(turns)) * double(kLevels.size())) % kLevels.size();
  double mean = 0;
  for (const double each : kLevels) mean += std::exp(spread * each) / double(kLevels.size());
  return std::exp(spread * kLevels[level]) / mean;
}

HostStep at_pace(HostStep step, double pace) {
  step.before = step.before * pace;
  step.launch = step.launch * pace;
  step.finish = step.finish * pace;
  return step;
}

}  // namespace warploom
