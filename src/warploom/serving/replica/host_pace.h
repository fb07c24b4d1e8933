// A host that other machines share is fast for a while and slow for a while. Its speed within a run: all that
// it does for a step takes `pace` times as long as in the mean, another one each period.
#pragma once

#include <vector>

#include "warploom/serving/host/host_model.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

// The time of a host's work over its mean, on the levels of its profile. Any stretch of periods meets fast
// and slow ones in equal parts; the mean over them is 1.
class HostPace {
 public:
  // `spread`: the standard deviation of ln of it. None, or no levels: always 1.
  HostPace(double spread, const HostPaces& paces);

  // So long after the first step of its engine.
  double at(SimDuration after) const;

 private:
  SimDuration period_;
  std::vector<double> paces_;  // empty: always 1
};

// The step on a host that takes `pace` times as long. What the GPU waits between kernels is its own.
HostStep at_pace(HostStep step, double pace);

}  // namespace warploom
