// A serving run as text and as the JSON that `vllm bench serve --save-result` writes, with what only a
// simulator knows under keys of their own.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/serving/simulation.h"

namespace warploom {

// One pool of instances.
struct PoolLabel {
  std::string name, gpu;
  std::int64_t instances = 1;          // at the start
  std::int64_t gpus_per_instance = 1;  // of what steps together
  std::int64_t tensor_parallel = 1, pipeline_parallel = 1, data_parallel = 1, expert_parallel = 1;
  double energy_j = 0;  // an estimate from the power limit; 0: unknown
};

// What a run is labelled with; the report prints it and computes nothing from it.
struct RunLabel {
  std::string model, gpu, engine, workload;
  double request_rate = std::numeric_limits<double>::infinity();  // requests/s; infinite: sent without a plan
  std::optional<std::int64_t> max_concurrency;                    // most requests in flight
  std::int64_t gpus = 1;
  std::int64_t layers = 1;     // of the model
  Tier tier = Tier::Roofline;  // the weakest tier among the kernels
  // Share of the kernels' time by the tier of what priced them, indexed by Tier; adds up to one.
  std::array<double, EnumNames<Tier>::kNames.size()> tier_shares{};
  std::vector<PoolLabel> pools;
  std::string kv_transfer;    // path between the pools; empty: one pool
  bool extrapolated = false;  // some kernel left the measured domain
};

// The same run with every kernel at its p10 and p90: bounds of each metric.
struct RunInterval {
  ServingMetrics low, high;
};

// A partial result has no interval: runs stopped at different points bound nothing.
//
// Percentile table, throughput, goodput when `slo` has limits, kernel-time breakdown.
std::string simulation_text(const RunLabel& label, const SimulationResult& result,
                            const std::optional<RunInterval>& interval, const Slo& slo = {});

// Keys of vLLM bench (duration, completed, num_prompts, request_rate, max_concurrency, mean_ttft_ms, ...,
// input_lens, ttfts, latencies, start_times in seconds), then "interval" {"low": {...}, "high": {...}} with
// the same metric keys (null when partial), "kernel_time", "kernel_sources" (kernel_sources.h),
// "family_time_s", "mean_layer_time_s" (a layer's share of all steps), "step_totals", "timeline",
// "preemptions", "cached_tokens", "prefix_hit_rate", "partial", "model", "gpu", "tier", "pools" (each with
// its GPUs, time and "energy_j"), "energy_per_output_token_j"; with drafts vLLM bench's "spec_decode_..."
// keys; of two pools InferenceX's "disagg", "num_prefill_gpu", "num_decode_gpu", "prefill_tp", "decode_tp"
// and "kv_transfer"; with tiers "kv_tiers"; with limits in `slo` also "request_goodput" (requests/s that meet
// them) and "slo_attainment". details: also the arrays with one entry per request.
Json simulation_json(const RunLabel& label, const SimulationResult& result,
                     const std::optional<RunInterval>& interval, bool details, const Slo& slo = {});

}  // namespace warploom
