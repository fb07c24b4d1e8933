#include "warploom/collector/sampler.h"

#include <cmath>
#include <string>
#include <vector>

#include "warploom/collector/failure.h"

namespace warploom::collector {

MedianEstimate sample_case(PreparedCase& prepared, const SamplingOptions& options) {
  using Clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < options.warm_up; ++i) prepared.run();
  const Clock::time_point start = Clock::now();
  std::vector<double> samples;
  for (;;) {
    const double seconds = prepared.run();
    if (!(seconds > 0) || !std::isfinite(seconds))
      throw Unmeasurable("the timer gave " + std::to_string(seconds) + " s");
    samples.push_back(seconds);
    if (samples.size() < options.fewest) continue;
    const MedianEstimate estimate = estimate_median(samples);
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    if (estimate.relative_half_width <= options.relative_half_width || samples.size() >= options.most ||
        spent >= options.seconds)
      return estimate;
  }
}

}  // namespace warploom::collector
