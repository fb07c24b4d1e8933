// What every doubt about a price does to its interval.
#pragma once

#include "warploom/kernels/latency_model.h"

namespace warploom {

// Further ln half-width from a cause that is independent of the others, so that squares add. p50 stays, and
// p10 stays at or above the physical bound.
void widen(LatencyEstimate& estimate, double half_width);

// Further seconds below and above p50, the same way.
void widen_by(LatencyEstimate& estimate, Seconds below, Seconds above);

}  // namespace warploom
