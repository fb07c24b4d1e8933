// Use case `validate static`: static batches of real engines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/import_data.h"
#include "warploom/app/serving/host_settings.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/judge/validate/static_validation.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// One measured batch. Times in ms; the phases are absent where only the total was measured.
struct StaticTruth {
  std::string hardware, engine, model, workload;
  std::int64_t tp = 1, pp = 1;
  std::int64_t batch = 1;
  std::int64_t output_tokens = 1;
  std::optional<double> prefill, decode;
  double total = 0;
  std::size_t line = 0;
};
// Prompt lengths by workload, in the order of the file.
using StaticWorkloads = std::map<std::string, std::vector<std::int32_t>>;

// Readers of e2e_truth.csv and workload_requests.csv (columns: hardware, tp, pp, engine, model, workload,
// batch_size, output_len, real_prefill_ms, real_decode_ms, real_total_ms; and workload, num_prefill_tokens).
// Throw IoError and InvalidInput.
std::vector<StaticTruth> read_static_truth(const std::filesystem::path& path);
StaticWorkloads read_static_workloads(const std::filesystem::path& path);

struct ValidateStaticRequest {
  std::filesystem::path truth, requests;
  std::string predictor;     // as open_latency_model takes it
  std::string require_tier;  // "measured": rows of which too little is measured are left out; empty: none
  // As parse_expert_routing takes it, of the mixtures of experts; empty: the default.
  std::string expert_routing;
  HostSettings host;                       // to the defaults of the engine
  FileScope files = FileScope::machine();  // where names may be paths
  // Published methods on the same rows, by name or as files that `train --method` wrote. Those by name learn
  // from `source`.
  std::vector<std::string> baselines;
  MeasurementSource source;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

// Prefill is one forward pass over all prompts, decode the mean of the other output_tokens - 1 steps, total
// their sum; pipeline stages run one after another. Kernels and host constants are those of the row's engine.
// Throws InvalidInput on a row whose workload is not listed or has another batch size, on `expert_routing`
// where no row's model has experts, and what names and models throw: no row is left out but by
// `require_tier`, and Unsupported where that leaves none. InvalidInput too on baselines that learn without a
// source, and on a source without them.
StaticValidation validate_static(const ValidateStaticRequest& request,
                                 const std::shared_ptr<const LatencyModel>& latency);
StaticValidation validate_static(const ValidateStaticRequest& request);

}  // namespace warploom
