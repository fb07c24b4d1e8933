// A serving run as text and as the JSON that `vllm bench serve --save-result` writes, with what only a
// simulator knows under keys of their own.
#pragma once

#include <optional>
#include <string>

#include "warploom/app/serving/run_label.h"
#include "warploom/base/json.h"
#include "warploom/serving/simulation.h"

namespace warploom {

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

// Takes what `details` adds out of such a document.
void erase_request_arrays(Json& document);

}  // namespace warploom
