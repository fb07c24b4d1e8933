// Times one prepared operator until its median is known well enough.
#pragma once

#include <chrono>
#include <functional>

#include "warploom/collector/device.h"
#include "warploom/collector/median_interval.h"

namespace warploom::collector {

struct SamplingOptions {
  double relative_half_width = 0.01;  // of the median's 95 % interval, at which sampling ends
  std::size_t fewest = 7, most = 40;  // samples
  double seconds = 0.1;               // of sampling one operator, after which it ends with what there is
  std::size_t warm_up = 1;            // runs before the first sample
};

// Throws DeviceLost, and Unmeasurable on a time that is not positive and finite.
MedianEstimate sample_case(PreparedCase& prepared, const SamplingOptions& options);

}  // namespace warploom::collector
