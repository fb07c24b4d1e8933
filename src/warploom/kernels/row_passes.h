// Measured rows that hold more than the operator: a pass over its inputs before the product.
#pragma once

#include "warploom/kernels/latency_model.h"

namespace warploom {

// The time of a product whose row holds `passes`, without them: no nearer to the bound than any product that
// was timed alone, since a pass that was timed by itself may be longer than the one in the row.
Seconds without_passes(const LatencyEstimate& row, Seconds passes);

}  // namespace warploom
