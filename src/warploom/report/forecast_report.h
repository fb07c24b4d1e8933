// A server's load, how well the simulation reproduces it, and what other loads would do.
#pragma once

#include <string>

#include "warploom/app/serving/forecast.h"
#include "warploom/base/json.h"

namespace warploom {

std::string forecast_text(const ForecastResult& result);
// {"model", "gpu", "gpus", "engine", "host_profile", "load": {"request_rate", "requests", "window_s",
// "window_from", "input_tokens_mean", "output_tokens_mean", "prefix_hit_rate", "running", "waiting"},
// "agreement": [{"metric", "measured_ms", "simulated_ms", "measured_p50_ms", "simulated_p50_ms", "off",
// "agrees"}], "ttft_residual", "tpot_residual", "calibrated", "now" and "forecast": [{"scale",
// "request_rate", "mean_ttft_ms", "median_ttft_ms", "p90_ttft_ms", "mean_tpot_ms", "mean_e2el_ms" (each
// {"p50", "p10", "p90"}), "output_throughput", "keeps_up"}], "levers": [{"change", "refused" or
// "mean_ttft_ms", "mean_tpot_ms", "mean_e2el_ms"}]}
Json forecast_json(const ForecastResult& result);

}  // namespace warploom
