// One predicted operator as text and JSON.
#pragma once

#include <string>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/base/json.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// "12.3 us (10.9 .. 13.8 us), limited by dram, tier measured"
std::string estimate_text(const LatencyEstimate& estimate);
// "gemm (scheme bf16, m 64, n 128, k 128)"; request groups as --requests takes them.
std::string operator_text(const Operator& op);
// {"p10_us","p50_us","p90_us","physical_bound_us","bound","tier","extrapolated","stands_in",
// "in_step"}
Json estimate_json(const LatencyEstimate& estimate);
// {"family", ...}: as operator_from_json reads it.
Json operator_document(const Operator& op);

std::string prediction_text(const PredictResult& result);
// estimate_json's keys, "operator", "gpu", "framework", "framework_version", "kernel", "stands_in_for",
// "scheme_priced" (where it is not the operator's own), "widened_weights", "roofline_us",
// "structure", "pipelines": [{"pipeline", "demand", "time_us", "share"}] and, as asked for,
// "published_features"
Json prediction_json(const PredictResult& result);

}  // namespace warploom
