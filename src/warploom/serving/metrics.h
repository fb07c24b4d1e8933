// What a run is judged by, with the definitions and names of `vllm bench serve`: TTFT from arrival, when the
// client sends the request, to the first token (client side); engine TTFT from the engine's queue to it,
// without the client's way (engine side; both are equal where no way is simulated); TPOT = (last token -
// first token) / (output tokens - 1), over requests of at least two tokens; ITL every gap between two
// tokens; E2EL from arrival to the last token. Over completed requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/serving/request.h"

namespace warploom {

// All NaN-free: zeros when there are no samples.
struct LatencySummary {
  Seconds mean, median, std, p50, p90, p95, p99;
};

struct ServingMetrics {
  Seconds duration;  // from the first arrival to the last token
  std::int64_t completed = 0;
  std::int64_t failed = 0;              // rejected, or not finished when the run was stopped
  std::int64_t total_input_tokens = 0;  // of completed requests
  std::int64_t total_output_tokens = 0;
  double request_throughput = 0;       // requests/s
  double output_throughput = 0;        // tokens/s
  double total_token_throughput = 0;   // tokens/s, input and output
  double max_output_tokens_per_s = 0;  // in the best full second
  std::int64_t max_concurrent_requests = 0;
  LatencySummary ttft, engine_ttft, tpot, itl, e2el;

  // Flat keys: "duration", "completed", ..., "mean_ttft_ms", "median_ttft_ms", "std_ttft_ms", "p50_ttft_ms",
  // ...
  static FieldTable describe();
};

// Exact moments and quantiles of the samples. O(n log n).
LatencySummary summarize(std::vector<double> seconds);

// Samples counted in logarithmic bins 0.1 % wide: mean and deviation are exact, quantiles within 0.05 %.
// Memory does not grow with the samples.
class LatencyHistogram {
 public:
  LatencyHistogram();
  void add(SimDuration sample, std::int64_t count);
  std::int64_t count() const { return count_; }
  LatencySummary summary() const;
  void merge(const LatencyHistogram& other);

 private:
  double quantile(double fraction) const;
  std::vector<std::int64_t> bins_;
  std::int64_t count_ = 0;
  double sum_ = 0, sum_of_squares_ = 0;  // s, s^2
};

// Limits of a service level; absent ones do not bind.
struct Slo {
  std::optional<Seconds> ttft, tpot, e2el;
  static FieldTable describe();
};
// Completed requests that meet every limit.
std::int64_t requests_meeting(const Slo& slo, std::span<const RequestRecord> records);

// Fills everything that follows from the records; itl and the two maxima come from the run.
ServingMetrics metrics_of(std::span<const RequestRecord> records, const LatencyHistogram& itl);

}  // namespace warploom
