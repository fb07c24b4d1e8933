// The figures of a run that somebody measured, by the definitions of serving/metrics.h.
#pragma once

#include "warploom/app/runs/measured_requests.h"
#include "warploom/serving/metrics.h"

namespace warploom {

// Rates are over the duration that the generator states, or else from the first request's sending to the last
// token. Gaps between single tokens (ITL) are not known of measured requests and stay zero. There is one
// request or more.
ServingMetrics measured_metrics(const MeasuredRequests& measured);

}  // namespace warploom
