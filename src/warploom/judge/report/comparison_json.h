// A predicted figure against a measured one, as JSON.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/runs/serving_validation.h"
#include "warploom/base/json.h"

namespace warploom {

// {"measured<suffix>", "predicted<suffix>", "error", "bias"}
Json comparison_json(const Comparison& figure, const std::string& suffix);
// {METRIC: {STATISTIC: {"measured_ms", ...}}}
Json metrics_json(const std::vector<ServingFigure>& figures);

}  // namespace warploom
