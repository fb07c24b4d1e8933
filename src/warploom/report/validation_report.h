// Predicted serving figures against measured ones: the documents of `validate static` and `serving`;
// concurrency_report.h has those of `validate concurrency`. The error of a figure is |predicted - measured| /
// measured; bias is the same with its sign.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/base/units.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

struct Comparison {
  double measured = 0, predicted = 0;  // of one unit
  double bias() const { return (predicted - measured) / measured; }
  double error() const { return bias() < 0 ? -bias() : bias(); }
};

// Static batches. Times in ms.
struct StaticValidationRow {
  std::string hardware, engine, model, workload;
  std::int64_t tp = 1, pp = 1, batch = 1;
  std::optional<Comparison> prefill, decode;  // absent where only the total was measured
  Comparison total;
  double total_p10 = 0, total_p90 = 0, host = 0, collectives = 0;  // predicted
  Tier tier = Tier::Roofline;
};
struct StaticValidation {
  std::vector<StaticValidationRow> rows;
};
std::string static_validation_text(const StaticValidation& validation);
// {"rows": [{..., "prefill_error", "decode_error", "total_error"}], "mean": {"prefill", "decode", "total"},
// "bias": {"prefill", "decode", "total"}, "coverage"}
Json static_validation_json(const StaticValidation& validation);

// One run of a real engine, request by request.
struct ServingFigure {
  std::string metric, statistic;  // "ttft", "mean"
  Comparison figure;              // ms
};
struct ServingValidation {
  std::string model, gpu, engine;
  std::int64_t gpus = 1, requests = 0, kv_blocks = 0;
  std::vector<ServingFigure> latencies;  // mean, p50, p90, p99 of ttft, tpot, e2el
  Comparison duration;                   // s
  Comparison output_throughput, request_throughput;
  double tpot_request_error = 0;       // mean over requests of the error of each request's TPOT
  double start_order_correlation = 0;  // Spearman's, of the times at which requests were first scheduled
  double host_share = 0;               // of the time of steps
  Tier tier = Tier::Roofline;
  std::vector<KernelTime> kernels;
};
std::string serving_validation_text(const ServingValidation& validation);
// {"metrics": {"ttft": {"mean": {"measured_ms", "predicted_ms", "error", "bias"}, "p50", ...}, "tpot",
// "e2el"}, "duration", "output_throughput", "request_throughput": {"measured", "predicted", "error", "bias"},
// "tpot_request_error", "start_order_correlation", "host_share", "kernel_time", ...}
Json serving_validation_json(const ServingValidation& validation);

}  // namespace warploom
