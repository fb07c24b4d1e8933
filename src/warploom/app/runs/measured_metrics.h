// The figures of a run that somebody measured, by the definitions of serving/metrics.h.
#pragma once

#include <vector>

#include "warploom/app/runs/measured_requests.h"
#include "warploom/serving/metrics.h"

namespace warploom {

// Gaps between single tokens (ITL) are not known of measured requests and stay zero. `requests` holds one or
// more.
ServingMetrics measured_metrics(const std::vector<RealRequest>& requests);

}  // namespace warploom
