// A simulated run against a real engine's, request by request: what `validate serving` finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/runs/client_result.h"
#include "warploom/app/runs/comparison.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// One run of a real engine, request by request.
struct ServingFigure {
  std::string metric, statistic;  // "ttft", "mean"
  Comparison figure;              // ms
};
// A run that was measured at its clients: what lies between them and the engine is part of its latencies, and
// of the simulated ones.
struct ClientSide {
  ClientRun run;
  bool frontend_stated = false;  // by the run's record; else the one that is modelled for engines' servers
  Seconds frontend_latency{0.0}, frontend_per_token{0.0};
  double mean_frontend = 0;                // ms, simulated, what tokenising waits for included
  std::vector<ServingFigure> engine_ttft;  // measured at the client; predicted from the engine's queue on
};
struct ServingValidation {
  std::string model, gpu, engine, host_profile;
  std::string expert_routing;  // of a mixture of experts; else empty
  std::int64_t gpus = 1, requests = 0, kv_blocks = 0;
  std::vector<ServingFigure> latencies;  // mean, p50, p90, p95, p99 of ttft, tpot, e2el
  Comparison duration;                   // s
  Comparison output_throughput, request_throughput;
  double tpot_request_error = 0;  // mean over requests of the error of each request's TPOT
  // Spearman's, of the times at which requests were first scheduled; absent where these were not noted.
  std::optional<double> start_order_correlation;
  double host_share = 0;  // of the time of steps
  Tier tier = Tier::Roofline;
  std::vector<KernelTime> kernels;
  std::optional<ClientSide> client;  // absent: the engine's own record
};

}  // namespace warploom
