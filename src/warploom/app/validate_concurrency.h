// Use case `validate concurrency`: published benchmarks that keep a fixed number of requests in flight.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/kernels/latency_model.h"
#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"
#include "warploom/report/validation_report.h"
#include "warploom/serving/host_model.h"

namespace warploom {

// One row of concurrency_runs.csv. Empty or absent: not stated.
struct ConcurrencyTruth {
  std::string id, dump, image, backend, version, model, system, precision, gemm_quantization,
      moe_quantization, mode;
  bool work_in_progress = false;
  std::optional<std::int64_t> concurrency, tp, pp, attention_dp, moe_tp, moe_ep;
  std::int64_t input_tokens = 1, output_tokens = 1;
  std::optional<double> ttft, tpot;  // ms
  bool ttft_doubtful = false;        // its TTFT alone is known not to mean what the others' do
  std::uint64_t content_hash = 0;    // of every column but the id
  std::size_t line = 0;
};
// Throws IoError and InvalidInput.
std::vector<ConcurrencyTruth> read_concurrency_truth(const std::filesystem::path& path);

// Keeps the rows that can be simulated, in the order of the file, and counts what each filter dropped.
// Corrects those that state tensor parallelism multiplied by expert parallelism.
std::vector<ConcurrencyTruth> filter_concurrency_truth(std::vector<ConcurrencyTruth> rows,
                                                       std::vector<DroppedRows>& dropped);

// The row's parallelism. Throws InvalidInput on numbers that contradict each other.
Sharding sharding_of(const ConcurrencyTruth& row, const ModelArchitecture& model);

// The checkpoint of `model` in the row's quantisation; models stored quantised stay as they are where the row
// says the same. Throws Unsupported when the row runs a stored quantisation in another one.
ModelArchitecture quantized_model(const ConcurrencyTruth& row, const ModelArchitecture& model);

struct ValidateConcurrencyRequest {
  std::filesystem::path truth;
  std::string predictor;                         // as open_latency_model takes it
  std::function<void(HostModel&)> host_changes;  // to the defaults of the engine; may be empty
  std::int64_t max_cells = 0;  // simulate this many rows, evenly spread over the file; 0: all
  std::uint64_t seed = 1;      // of the lengths
  int threads = 0;             // 0: as many as cores
  std::function<void(std::int64_t done, std::int64_t total)> on_progress;  // from any thread, one at a time
};

// Every row as a closed loop of its concurrency N, all N at the start, ten N requests (fewer where that
// exceeds kMostCellRequests, but at least 2 N), engine and lengths as launch_of says; TTFT and TPOT are the
// means over requests. Kernels, host constants and scheduler are those of the row's backend. The result does
// not depend on the threads. Throws InvalidInput when no row is left.
ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request,
                                           const std::shared_ptr<const LatencyModel>& latency);
ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request);
constexpr std::int64_t kMostCellRequests = 2000;

}  // namespace warploom
