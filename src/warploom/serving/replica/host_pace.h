// A host that other machines share is fast for a while and slow for a while. Its speed within a run: all that
// it does for a step takes `pace` times as long as in the mean, another one each period.
#pragma once

#include "warploom/serving/host/host_model.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

// For so long a host keeps its speed, as a loop that is always the same and what engine cores do for steps
// are correlated with themselves: tools/engine_truth/host_pace.py.
inline constexpr SimDuration kHostPacePeriod{190'000'000};

// The time of a host's work at `now` over its mean, on levels as one machine's were, where ln of it has the
// standard deviation `spread`. Any stretch of periods meets fast and slow ones in equal parts; the mean over
// them is 1. No spread: 1.
double host_pace(SimTime now, double spread);

// The step on a host that takes `pace` times as long. What the GPU waits between kernels is its own.
HostStep at_pace(HostStep step, double pace);

}  // namespace warploom
