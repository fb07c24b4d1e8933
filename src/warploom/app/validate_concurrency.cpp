#include "warploom/app/validate_concurrency.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "warploom/app/concurrency_launch.h"
#include "warploom/app/latency_models.h"
#include "warploom/app/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"
#include "warploom/report/kernel_sources.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

constexpr std::int64_t kRequestsPerSlot = 10;

// A cell, or why there is none.
struct Outcome {
  std::optional<ConcurrencyCell> cell;
  std::string refusal;
};

std::int64_t request_count(std::int64_t concurrency) {
  return std::max(2 * concurrency, std::min(kRequestsPerSlot * concurrency, kMostCellRequests));
}

Workload workload_of(const ConcurrencyTruth& row, double range_ratio, std::uint64_t seed) {
  Workload workload = synthetic_workload({.requests = request_count(*row.concurrency),
                                          .input_tokens = row.input_tokens,
                                          .output_tokens = row.output_tokens,
                                          .range_ratio = range_ratio},
                                         seed);
  set_closed_loop(workload, *row.concurrency);
  return workload;
}

ConcurrencyCell simulate_row(const ConcurrencyTruth& row, const ModelCatalog& catalog,
                             const ValidateConcurrencyRequest& validation,
                             const std::shared_ptr<const LatencyModel>& latency) {
  const ModelArchitecture model = quantized_model(row, catalog.get(row.model));
  const ConcurrencyLaunch launch = launch_of(row);
  Sharding sharding = sharding_of(row, model);
  if (launch.experts_whole) sharding.expert_parallel = sharding.moe_ranks();
  ServingSetupRequest request;
  request.config = launch.config;
  request.gpu = row.system;
  request.framework = row.backend;
  request.version = row.version;
  request.host_changes = [&](HostModel& host) {
    add_client_frontend(host);  // the figures are those of a client
    if (validation.host_changes) validation.host_changes(host);
  };
  request.config.tensor_parallel_size = sharding.tensor_parallel;
  request.config.pipeline_parallel_size = sharding.pipeline_parallel;
  request.config.data_parallel_size = sharding.attention_data_parallel;
  const ServingSetup setup = resolve_serving(request, model, sharding, latency);
  const Workload workload = workload_of(row, launch.range_ratio, validation.seed);
  const SimulationResult run = simulate(setup.config, workload, *setup.pricer, {.timeline_samples = 0});
  ConcurrencyCell cell;
  cell.id = row.id;
  cell.backend = row.backend;
  cell.version = row.version;
  cell.model = row.model;
  cell.gpu = row.system;
  cell.quantization = row.gemm_quantization;
  cell.tp = sharding.tensor_parallel;
  cell.concurrency = *row.concurrency;
  cell.input_tokens = row.input_tokens;
  cell.output_tokens = row.output_tokens;
  cell.requests = run.metrics.completed;
  cell.ttft = {*row.ttft, to_milliseconds(run.metrics.ttft.mean)};
  cell.judges_ttft = !row.ttft_doubtful;
  cell.tpot = {*row.tpot, to_milliseconds(run.metrics.tpot.mean)};
  cell.preemptions = run.preemptions;
  cell.tier = weakest_tier(run.kernels);
  return cell;
}

Outcome outcome_of(const ConcurrencyTruth& row, const ModelCatalog& catalog,
                   const ValidateConcurrencyRequest& validation,
                   const std::shared_ptr<const LatencyModel>& latency) {
  try {
    return {simulate_row(row, catalog, validation, latency), {}};
  } catch (const Error& error) {
    return {std::nullopt, fmt::format("{} on {}: {}", row.model, row.system, error.what())};
  }
}

std::vector<ConcurrencyTruth> spread(std::vector<ConcurrencyTruth> rows, std::int64_t most) {
  if (most <= 0 || std::ssize(rows) <= most) return rows;
  std::vector<ConcurrencyTruth> chosen;
  for (std::int64_t i = 0; i < most; ++i)
    chosen.push_back(std::move(rows[std::size_t(i * std::ssize(rows) / most)]));
  return chosen;
}

std::vector<Outcome> simulate_rows(const std::vector<ConcurrencyTruth>& rows,
                                   const ValidateConcurrencyRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency) {
  const ModelCatalog catalog;
  std::vector<Outcome> outcomes(rows.size());
  std::atomic<std::size_t> next{0};
  std::int64_t done = 0;
  std::mutex progress;
  const auto work = [&] {
    for (std::size_t i = next++; i < rows.size(); i = next++) {
      outcomes[i] = outcome_of(rows[i], catalog, request, latency);
      const std::lock_guard lock(progress);
      ++done;
      if (request.on_progress) request.on_progress(done, std::ssize(rows));
    }
  };
  const unsigned threads =
      request.threads > 0 ? unsigned(request.threads) : std::thread::hardware_concurrency();
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  return workers.clear(), outcomes;
}

bool stored_alike(MatmulScheme stored, const std::string& mode) {
  if (mode.empty()) return true;
  switch (stored) {
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
    case MatmulScheme::Fp8Block:
      return mode.starts_with("fp8");
    case MatmulScheme::Int4WeightOnly:
      return mode == "int4_wo";
    // The runs of gpt-oss are labelled by width alone.
    case MatmulScheme::NvFp4:
    case MatmulScheme::MxFp4A16:
    case MatmulScheme::MxFp4A8:
      return mode == "nvfp4";
    default:
      return false;
  }
}

}  // namespace

Sharding sharding_of(const ConcurrencyTruth& row, const ModelArchitecture& model) {
  Sharding sharding;
  sharding.tensor_parallel = row.tp.value_or(1);
  sharding.pipeline_parallel = row.pp.value_or(1);
  if (!model.mixture) return sharding;
  sharding.attention_data_parallel = row.attention_dp.value_or(1);
  sharding.expert_parallel = row.moe_ep.value_or(1);
  if (row.moe_tp && *row.moe_tp * sharding.expert_parallel != sharding.moe_ranks()) {
    throw InvalidInput(
        fmt::format("experts are spread over {} ranks but attention over {}, expected the same GPUs",
                    *row.moe_tp * sharding.expert_parallel, sharding.moe_ranks()));
  }
  return sharding;
}

ModelArchitecture quantized_model(const ConcurrencyTruth& row, const ModelArchitecture& model) {
  const LayerSchemes& stored = model.layers.back().schemes;
  const MatmulScheme widest = model.mixture ? stored.experts : stored.mlp;
  const std::string& mode = model.mixture ? row.moe_quantization : row.gemm_quantization;
  if (stored_alike(widest, mode)) return model;
  if (widest != plain_scheme(model.dtype)) {
    throw Unsupported(
        fmt::format("runs in {}, but the checkpoint is stored in {}, expected the stored quantisation", mode,
                    name_of(widest)));
  }
  return quantize_linears(model, parse_enum<MatmulScheme>(mode, "quantisation"));
}

ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request,
                                           const std::shared_ptr<const LatencyModel>& latency) {
  std::vector<ConcurrencyTruth> rows = read_concurrency_truth(request.truth);
  ConcurrencyValidation validation;
  validation.rows = std::ssize(rows);
  rows = filter_concurrency_truth(std::move(rows), validation.dropped);
  const std::int64_t usable = std::ssize(rows);
  rows = spread(std::move(rows), request.max_cells);
  if (std::ssize(rows) < usable) {
    validation.dropped.push_back({"beyond the number of cells asked for", usable - std::ssize(rows)});
  }
  std::map<std::string, std::int64_t> refusals;
  for (Outcome& outcome : simulate_rows(rows, request, latency)) {
    if (outcome.cell) {
      validation.cells.push_back(std::move(*outcome.cell));
    } else {
      ++refusals[outcome.refusal];
    }
  }
  for (const auto& [reason, count] : refusals) validation.dropped.push_back({reason, count});
  if (validation.cells.empty()) {
    throw InvalidInput(fmt::format("{}: no row can be simulated{}", request.truth.string(),
                                   refusals.empty() ? "" : "; the first reason: " + refusals.begin()->first));
  }
  return validation;
}

ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request) {
  return validate_concurrency(request, open_latency_model(request.predictor));
}

}  // namespace warploom
