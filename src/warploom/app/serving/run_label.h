// What a serving run is labelled with, and the interval of its figures.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/afd_breakdown.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/base/units.h"
#include "warploom/serving/simulation.h"

namespace warploom {

// One pool of instances.
struct PoolLabel {
  std::string name, gpu;
  std::int64_t instances = 1;          // at the start
  std::int64_t gpus_per_instance = 1;  // of what steps together
  std::int64_t tensor_parallel = 1, pipeline_parallel = 1, data_parallel = 1, expert_parallel = 1;
  double energy_j = 0;  // an estimate from the power limit; 0: unknown
  std::optional<AfdLabel> afd;
};

// What lies between a client and the engine's queue, and between two pools.
struct ClientWayLabel {
  std::string measured_at = "engine";  // where TTFT and E2EL count from: client or engine
  Seconds frontend_latency{0.0}, frontend_per_token{0.0};
  Seconds handshake{0.0};  // of a transfer; 0 also where one pool does both
};

// What a run is labelled with; reports print it and compute nothing from it.
struct RunLabel {
  std::string model, gpu, engine, host_profile, workload;
  std::string expert_routing;                                     // of a mixture of experts; else empty
  double request_rate = std::numeric_limits<double>::infinity();  // requests/s; infinite: sent without a plan
  std::optional<std::int64_t> max_concurrency;                    // most requests in flight
  std::int64_t gpus = 1;
  std::int64_t layers = 1;  // of the model
  KernelTrust trust;
  std::vector<PoolLabel> pools;
  std::optional<PoolLabel> encoders;  // that do nothing else
  std::string vision;                 // the encoder of images, in words; empty: requests have none
  ClientWayLabel way;
  std::string kv_transfer;  // path between the pools; empty: one pool
};

// What an encoder's time rests on beside its kernels' tier (docs/decisions/0154).
inline constexpr std::string_view kEncoderRestsOn =
    "kernels timed alone or in language models, none in an encoder";

// The same run with every kernel at its p10 and p90: bounds of each metric.
struct RunInterval {
  ServingMetrics low, high;
};

}  // namespace warploom
