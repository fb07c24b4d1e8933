// Predicted serving figures against measured ones: the documents of `validate static` and `serving`;
// concurrency_report.h has those of `validate concurrency`. The error of a figure is |predicted - measured| /
// measured; bias is the same with its sign.
#pragma once

#include <string>

#include "warploom/app/runs/serving_validation.h"
#include "warploom/base/json.h"
#include "warploom/judge/validate/static_validation.h"

namespace warploom {

std::string static_validation_text(const StaticValidation& validation);
// {"rows": [{..., "prefill_error", "decode_error", "total_error"}], "mean": {"prefill", "decode", "total"},
// "bias": {"prefill", "decode", "total"}, "coverage"}; with baselines also "baselines": {NAME:
// {"rows", "mean", "bias", "roofline_share"}}
Json static_validation_json(const StaticValidation& validation);

std::string serving_validation_text(const ServingValidation& validation);
// {"metrics": {"ttft": {"mean": {"measured_ms", "predicted_ms", "error", "bias"}, "p50", ...}, "tpot",
// "e2el"}, "duration", "output_throughput", "request_throughput": {"measured", "predicted", "error", "bias"},
// "tpot_request_error", "start_order_correlation" (null where it is not known), "host_share", "kernel_time",
// ...}; of a run that a load generator measured also "client": {"generator", "replay", "failed",
// "frontend_source", "ttft_without_frontend": {"mean": {"measured_ms", ...}, ...}, ...}.
Json serving_validation_json(const ServingValidation& validation);

}  // namespace warploom
