// A host that other machines share is fast for a while and slow for a while. Its speed within a run: all that
// it does for a step takes `pace` times as long as in the mean, another one each period.
#pragma once

#include <array>
#include <cstddef>

#include "warploom/serving/host/host_model.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

// For so long a host keeps its speed, as a loop that is always the same and what engine cores do for steps
// are correlated with themselves: tools/engine_truth/host_pace.py.
inline constexpr SimDuration kHostPacePeriod{190'000'000};

// The time of a host's work over its mean, on levels as one machine's were. Any stretch of periods meets fast
// and slow ones in equal parts; the mean over them is 1.
class HostPace {
 public:
  // `spread`: the standard deviation of ln of it. None: always 1.
  explicit HostPace(double spread);

  // So long after the first step of its engine.
  double at(SimDuration after) const;

 private:
  static constexpr std::size_t kLevels = 10;
  std::array<double, kLevels> paces_;
};

// The step on a host that takes `pace` times as long. What the GPU waits between kernels is its own.
HostStep at_pace(HostStep step, double pace);

}  // namespace warploom
