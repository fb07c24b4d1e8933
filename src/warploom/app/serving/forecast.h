// Use case `forecast`: from an engine's metrics to what the same server does at other loads.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/observed_load.h"
#include "warploom/app/serving/serving_setup.h"

namespace warploom {

inline constexpr std::array<double, 2> kUsualScales{1.5, 2};

struct ForecastRequest {
  ServingSetupRequest setup;
  std::filesystem::path metrics;         // Prometheus text of the server
  std::filesystem::path metrics_before;  // of the same server earlier; empty: counters since its start
  std::optional<Seconds> window;         // over which the counters grew; absent: by the snapshots' times
  std::vector<double> scale;             // of the load; empty: kUsualScales
  std::int64_t requests = 2000;          // of each run
  bool calibrate = true;  // scale steps so that the simulation has what was measured at the load as it is
  bool levers = true;     // also which flag would help most
  std::uint64_t seed = 1;
  std::function<void(std::int64_t, std::int64_t)> on_progress;
  static FieldTable describe();
};

struct ForecastFigure {
  Seconds mid, low, high;
};

// At one load. Figures are in the engine's clock, after the first tenth of the requests.
struct ForecastPoint {
  double scale = 1, rate = 0;
  ForecastFigure ttft_mean, ttft_p50, ttft_p90, tpot_mean, e2el_mean;
  double output_throughput = 0;  // tokens/s
  bool keeps_up = true;          // the wait for a first token does not grow along the run
  KernelTrust trust;             // of the prices that its figures rest on
};

// A histogram of the server beside the same of the simulation.
struct ForecastAgreement {
  std::string metric;
  Seconds measured, simulated;          // means
  Seconds measured_p50, simulated_p50;  // of both by the buckets
  double limit = 0;                     // of |simulated / measured - 1|
  double off() const { return simulated / measured - 1; }
  bool agrees() const { return off() <= limit && off() >= -limit; }
};

inline constexpr std::string_view kAsItIs = "as it is";
struct ForecastLever {
  std::string change;     // "max_num_batched_tokens 4096", or kAsItIs
  std::string refused;    // why it cannot be; empty: simulated
  std::int64_t gpus = 0;  // that it takes
  Seconds ttft_mean, tpot_mean, e2el_mean;
  Tier tier = Tier::Roofline;  // of the prices that these rest on
};

struct ForecastResult {
  std::string model, gpu, engine, host_profile;
  std::int64_t gpus = 1;
  ObservedLoad load;
  std::vector<ForecastAgreement> agreement;
  double ttft_residual = 1, tpot_residual = 1;  // measured / simulated means, before the factors
  bool calibrated = false;
  double prompt_factor = 1, decode_factor = 1;  // of steps with and without prompts
  ForecastPoint now;
  std::vector<ForecastPoint> points;
  std::vector<ForecastLever> levers;  // at the largest load, best first, those that cannot be last
};

// Throws InvalidInput on metrics of another engine than the setup's and what observe_load throws; what
// resolve_serving and simulate throw.
ForecastResult forecast(const ForecastRequest& request, const std::shared_ptr<const LatencyModel>& latency);

}  // namespace warploom
