// What an engine's metrics say of its load: how often requests come, how long they are, how long they took.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "warploom/app/serving/metrics_text.h"
#include "warploom/base/units.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

struct ObservedLoad {
  std::string engine;               // "vllm" or "sglang", by the names of the metrics
  std::string model;                // as the server names it; may be empty
  Seconds window;                   // over which the counters grew
  std::string window_from;          // what says so
  double rate = 0;                  // requests/s: those that ended, and what more is in flight at the end
  double requests = 0;              // that ended
  double hit_rate = 0;              // of prompt tokens, in the prefix cache
  double running = 0, waiting = 0;  // at the end
  MetricHistogram prompt, output;   // tokens
  MetricHistogram ttft, e2el;       // s, in the engine's clock
  MetricHistogram tpot;             // s: of requests, else (SGLang) of single tokens
  bool tpot_is_itl = false;
};

// `before` may be empty: counters since the server's start, over `window` or the time since
// process_start_time_seconds. Throws InvalidInput on metrics of no known engine, of two, without one of the
// histograms, without a finished request, and on counters that went backwards.
ObservedLoad observe_load(const std::filesystem::path& metrics, const std::filesystem::path& before,
                          std::optional<Seconds> window);

// Requests with the lengths of the histograms and Poisson arrivals. Within a bucket lengths are drawn so that
// the mean is the measured one; prompts and outputs are drawn apart, since metrics do not say which belong
// together. The share `hit_rate` of each prompt is one text that all share.
Workload load_workload(const ObservedLoad& load, double rate, std::int64_t requests, std::uint64_t seed);

}  // namespace warploom
