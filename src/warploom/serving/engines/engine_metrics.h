// What engines call the Prometheus metrics of their load.
#pragma once

#include <array>

namespace warploom {

// Names of the metrics: vllm/v1/metrics/loggers.py (0.24 to 0.33) and
// sglang/srt/observability/metrics_collector.py.
struct EngineMetrics {
  const char* engine;
  const char* prefix;
  const char *prompt, *output, *ttft, *tpot, *e2el;  // histograms
  const char *hits, *queries;                        // counters of prompt tokens
  const char *running, *waiting;                     // gauges
  bool tpot_is_itl;
};
inline constexpr std::array<EngineMetrics, 2> kEngineMetrics{{
    {"vllm", "vllm:", "vllm:request_prompt_tokens", "vllm:request_generation_tokens",
     "vllm:time_to_first_token_seconds", "vllm:request_time_per_output_token_seconds",
     "vllm:e2e_request_latency_seconds", "vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total",
     "vllm:num_requests_running", "vllm:num_requests_waiting", false},
    {"sglang", "sglang:", "sglang:prompt_tokens_histogram", "sglang:generation_tokens_histogram",
     "sglang:time_to_first_token_seconds", "sglang:inter_token_latency_seconds",
     "sglang:e2e_request_latency_seconds", "sglang:cached_tokens_total", "sglang:prompt_tokens_total",
     "sglang:num_running_reqs", "sglang:num_queue_reqs", true},
}};

}  // namespace warploom
