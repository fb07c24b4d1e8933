// A simulated run against a real engine's, request by request: what `validate serving` finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/app/validate/comparison.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// One run of a real engine, request by request.
struct ServingFigure {
  std::string metric, statistic;  // "ttft", "mean"
  Comparison figure;              // ms
};
struct ServingValidation {
  std::string model, gpu, engine, host_profile;
  std::string expert_routing;  // of a mixture of experts; else empty
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

}  // namespace warploom
