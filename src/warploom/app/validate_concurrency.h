// Use case `validate concurrency`: published benchmarks that keep a fixed number of requests in flight.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "warploom/app/concurrency_exclusions.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/report/concurrency_report.h"
#include "warploom/serving/host_model.h"

namespace warploom {

struct ValidateConcurrencyRequest {
  std::filesystem::path truth;
  std::string predictor;                         // as open_latency_model takes it
  std::function<void(HostModel&)> host_changes;  // to the defaults of the engine; may be empty
  std::int64_t max_cells = 0;  // simulate this many rows, evenly spread over the file; 0: all
  std::uint64_t one_in = 1;    // simulate the rows whose contents hash to 0 modulo this
  std::uint64_t seed = 1;      // of the lengths
  int threads = 0;             // 0: as many as cores
  std::function<void(std::int64_t done, std::int64_t total)> on_progress;  // from any thread, one at a time
};

// Every row as a closed loop of its concurrency N, all N at the start, ten N requests (fewer where that
// exceeds kMostCellRequests, but at least 2 N), engine and lengths as launch_of says; TTFT and TPOT are the
// means over requests. Kernels, host constants and scheduler are those of the row's backend. Rows that a rule
// of data/benchmarks takes out are simulated too, where they can be, and reported apart. The result does not
// depend on the threads. Throws InvalidInput when no row is left.
ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request,
                                           const std::shared_ptr<const LatencyModel>& latency);
ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request);
constexpr std::int64_t kMostCellRequests = 2000;

}  // namespace warploom
