// A serving run as text and as the JSON that `vllm bench serve --save-result` writes, with what only a
// simulator knows under keys of their own.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/serving/simulation.h"

namespace warploom {

// What a run is labelled with; the report prints it and computes nothing from it.
struct RunLabel {
  std::string model, gpu, engine, workload;
  std::int64_t gpus = 1;
  Tier tier = Tier::Roofline;  // the weakest tier among the kernels
  // Share of the kernels' time by the weakest tier of their family, indexed by Tier; adds up to one.
  std::array<double, EnumNames<Tier>::kNames.size()> tier_shares{};
  bool extrapolated = false;  // some kernel left the measured domain
};

// The same run with every kernel at its p10 and p90: bounds of each metric.
struct RunInterval {
  ServingMetrics low, high;
};

// Of a partial result the interval is not shown: runs stopped at different points bound nothing.
//
// Percentile table, throughput, goodput when `slo` has limits, kernel-time breakdown.
std::string simulation_text(const RunLabel& label, const SimulationResult& result,
                            const RunInterval& interval, const Slo& slo = {});

// Keys of vLLM bench (duration, completed, mean_ttft_ms, ..., input_lens, ttfts, latencies, start_times in
// seconds), then "interval" {"low": {...}, "high": {...}} with the same metric keys (null when partial),
// "kernel_time", "step_totals", "timeline", "preemptions", "cached_tokens", "prefix_hit_rate", "partial",
// "model", "gpu", "tier"; with limits in `slo` also "request_goodput" (requests/s that meet them) and
// "slo_attainment". details: also the arrays with one entry per request.
Json simulation_json(const RunLabel& label, const SimulationResult& result, const RunInterval& interval,
                     bool details, const Slo& slo = {});

}  // namespace warploom
