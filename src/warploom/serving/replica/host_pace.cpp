#include "warploom/serving/replica/host_pace.h"

#include <cmath>

namespace warploom {

HostPace::HostPace(double spread) {
  // How slow a host was in the middle of each tenth of the time, fastest first, in standard deviations of the
  // logarithm: a third of it fast, the rest near one slow level, and stalls. tools/engine_truth/host_pace.py.
  constexpr std::array<double, kLevels> kMiddles{-1.41, -1.29, -1.12, -0.30, 0.11,
                                                 0.26,  0.40,  0.55,  0.86,  1.93};
  double mean = 0;
  for (const double middle : kMiddles) mean += std::exp(spread * middle) / double(kLevels);
  for (std::size_t i = 0; i < kLevels; ++i)
    paces_[i] = spread > 0 ? std::exp(spread * kMiddles[i]) / mean : 1;
}

double HostPace::at(SimDuration after) const {
  // Steps of the golden ratio spread over the levels evenly, whatever their number. A run begins at a level
  // in the middle, so that one of a few steps is that of a host without a pace.
  constexpr double kGolden = 0.6180339887498949, kFirst = 0.45;
  const double turns = double(after.nanoseconds() / kHostPacePeriod.nanoseconds()) * kGolden + kFirst;
  return paces_[std::size_t((turns - std::floor(turns)) * double(kLevels)) % kLevels];
}

HostStep at_pace(HostStep step, double pace) {
  step.before = step.before * pace;
  step.launch = step.launch * pace;
  step.finish = step.finish * pace;
  return step;
}

}  // namespace warploom
