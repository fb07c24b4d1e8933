#include "warploom/app/validate/concurrency_cell.h"

#include <fmt/format.h>

#include "warploom/app/predict/tier_requirement.h"
#include "warploom/app/serving/kv_transfer_setup.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/validate/concurrency_launch.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/attention_groups.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

// As the load generators of these benchmarks send them; the first of each slot wait for each other.
constexpr std::int64_t kRequestsPerSlot = 10;

std::int64_t request_count(std::int64_t concurrency) { return kRequestsPerSlot * concurrency; }

Workload workload_of(const ConcurrencyTruth& row, double range_ratio, std::uint64_t seed) {
  Workload workload = synthetic_workload({.requests = request_count(*row.concurrency),
                                          .input_tokens = row.input_tokens,
                                          .output_tokens = row.output_tokens,
                                          .range_ratio = range_ratio},
                                         seed);
  set_closed_loop(workload, *row.concurrency);
  return workload;
}

ModelArchitecture model_of(const ConcurrencyTruth& row, const std::optional<AssumedCheckpoint>& assumed,
                           const ModelCatalog& catalog) {
  if (!assumed) return quantized_model(row, catalog.get(row.model));
  ModelArchitecture model = catalog.get(assumed->model.empty() ? row.model : assumed->model);
  if (assumed->linears) return quantize_linears(model, *assumed->linears);
  if (assumed->experts)
    for (LayerGroup& group : model.layers)
      if (group.mixture) group.schemes.experts = *assumed->experts;
  return model;
}

void draft_tokens(ServingConfig& config, const AssumedDrafts& drafts, const ModelArchitecture& model) {
  config.speculative_config =
      fmt::format(R"({{"method": "{}", "num_speculative_tokens": {}}})",
                  name_of(model.mtp_layers > 0 ? DraftMethod::Mtp : DraftMethod::Eagle), drafts.tokens);
  config.acceptance_length = drafts.acceptance_length;
}

// What the engines of a row have in common.
struct Place {
  const ConcurrencyTruth& row;
  const ModelArchitecture& model;
  const ConcurrencyLaunch& launch;
  const ValidateConcurrencyRequest& validation;
  const std::shared_ptr<const LatencyModel>& latency;

  SimulationOptions options() const { return {.step_time = validation.kernel_times, .timeline_samples = 0}; }

  ServingSetup setup(const LaunchedPool& pool, StatedPlace place, std::int64_t instances) const {
    if (pool.attention_data_parallel) {
      place.attention_dp = place.attention_dp.value_or(1) * place.tp.value_or(1);
      place.tp = 1;
    }
    Sharding sharding = sharding_of(place, model);
    if (launch.experts_whole) sharding.expert_parallel = sharding.moe_ranks();
    ServingSetupRequest request;
    request.config = pool.config;
    // One set of flags serves both pools of a row; a pool whose attention is not spread has no use for these.
    if (!spreads_experts(sharding)) request.config.moe_a2a_backend = ServingConfig().moe_a2a_backend;
    request.files = validation.files;
    request.gpu = row.system;
    request.framework = row.backend;
    request.version = row.version;
    request.day = row.day;
    request.client = true;
    request.host = validation.host;
    if (model.mixture) request.expert_routing = validation.expert_routing;
    request.config.instances = instances;
    request.config.tensor_parallel_size = sharding.tensor_parallel;
    request.config.pipeline_parallel_size = sharding.pipeline_parallel;
    request.config.data_parallel_size = sharding.attention_data_parallel;
    return resolve_serving(request, model, sharding, latency);
  }
};

ConcurrencyCell cell_of(const Place& place, const SimulationResult& run) {
  if (requires_measured(place.validation.require_tier) && !is_measured(run.kernels))
    throw Unsupported(too_little_measured());
  const ConcurrencyTruth& row = place.row;
  ConcurrencyCell cell;
  cell.id = row.id;
  cell.backend = row.backend;
  cell.version = row.version;
  cell.model = row.model;
  cell.gpu = row.system;
  cell.quantization = row.gemm_quantization;
  cell.concurrency = *row.concurrency;
  cell.input_tokens = row.input_tokens;
  cell.output_tokens = row.output_tokens;
  cell.requests = run.metrics.completed;
  cell.ttft = {*row.ttft, to_milliseconds(run.metrics.ttft.mean)};
  cell.tpot = {*row.tpot, to_milliseconds(run.metrics.tpot.mean)};
  cell.preemptions = run.preemptions;
  cell.tier = weakest_tier(run.kernels);
  return cell;
}

ConcurrencyCell simulate_engine(const Place& place, const Workload& workload) {
  const ServingSetup setup = place.setup(place.launch.engine, place.row.place, 1);
  ConcurrencyCell cell = cell_of(place, simulate(setup.config, workload, *setup.pricer, place.options()));
  cell.tp = setup.sharding.tensor_parallel;
  cell.expert_routing = setup.expert_routing();
  return cell;
}

ConcurrencyCell simulate_pools(const Place& place, const Workload& workload) {
  const StatedPool &prefill = place.row.prefill, &decode = place.row.decode;
  const ServingSetup first = place.setup(place.launch.prefill, prefill.place, *prefill.workers);
  const ServingSetup second = place.setup(place.launch.decode, decode.place, *decode.workers);
  Deployment deployment;
  deployment.pools = {first.pool("prefill"), second.pool("decode")};
  deployment.transfer = kv_transfer_of(first, second, {}).plan;
  deployment.transfer.handshake = place.launch.handshake;
  ConcurrencyCell cell = cell_of(place, simulate(deployment, workload, place.options()));
  cell.tp = second.sharding.tensor_parallel;
  cell.expert_routing = second.expert_routing();
  cell.prefill_workers = *prefill.workers;
  cell.decode_workers = *decode.workers;
  return cell;
}

}  // namespace

ConcurrencyCell simulate_row(const ConcurrencyTruth& row, const ModelCatalog& catalog,
                             const ValidateConcurrencyRequest& validation,
                             const std::shared_ptr<const LatencyModel>& latency,
                             const std::optional<AssumedDrafts>& drafts) {
  ConcurrencyLaunch launch = launch_of(row);
  const std::optional<AssumedCheckpoint> assumed = concurrency_launches().checkpoint_of(row);
  const ModelArchitecture model = model_of(row, assumed, catalog);
  if (drafts) draft_tokens(launch.engine.config, *drafts, model);
  const Workload workload = workload_of(row, launch.range_ratio, validation.seed);
  const Place place{row, model, launch, validation, latency};
  ConcurrencyCell cell =
      row.disaggregated() ? simulate_pools(place, workload) : simulate_engine(place, workload);
  if (assumed && !assumed->stated) cell.checkpoint = assumed->words;
  return cell;
}

}  // namespace warploom
