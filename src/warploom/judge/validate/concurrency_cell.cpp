#include "warploom/judge/validate/concurrency_cell.h"

#include <fmt/format.h>

#include "warploom/app/predict/tier_requirement.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/serving_engines.h"
#include "warploom/base/error.h"
#include "warploom/judge/validate/concurrency_launch.h"
#include "warploom/judge/validate/concurrency_question.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

void draft_tokens(ServingConfig& config, const AssumedDrafts& drafts, const ModelArchitecture& model) {
  config.speculative_config = fmt::format(R"({{"method": "{}", "num_speculative_tokens": {}}})",
                                          model.mtp_layers > 0 ? "mtp" : "eagle", drafts.tokens);
  config.acceptance_length = drafts.acceptance_length;
}

// One engine does both, or prefill and decode are apart.
std::vector<AskedEngines> engines_asked(const ConcurrencyTruth& row,
                                        const std::optional<AssumedCheckpoint>& assumed,
                                        const ModelCatalog& catalog,
                                        const ValidateConcurrencyRequest& validation,
                                        const std::optional<AssumedDrafts>& drafts) {
  const ConcurrencyLaunch launch = launch_of(row);
  const auto asked = [&](const LaunchedPool& pool, const StatedPlace& place, std::int64_t instances) {
    AskedEngines engines = asked_engines(row, launch, pool, place, instances, assumed, validation, catalog);
    if (drafts) draft_tokens(engines.setup.config, *drafts, engines.model);
    return engines;
  };
  if (!row.disaggregated()) return {asked(launch.engine, row.place, 1)};
  return {asked(launch.prefill, row.prefill.place, *row.prefill.workers),
          asked(launch.decode, row.decode.place, *row.decode.workers)};
}

SimulateRequest question_of(const ConcurrencyTruth& row, const std::vector<AskedEngines>& engines,
                            const ValidateConcurrencyRequest& validation) {
  SimulateRequest request;
  request.source = asked_load(row, launch_of(row).range_ratio, validation.seed);
  request.intervals = false;
  if (engines.size() == 1) {
    request.setup = engines[0].setup;
    return request;
  }
  request.disaggregation = DisaggregationRequest{engines[0].setup, engines[1].setup, {}};
  // As many front ends as the recipe starts, however many engines compute prompts.
  request.fleet.front_ends = launch_of(row).front_ends;
  return request;
}

// What no field says is resolved from the row itself; everything else as `simulate` resolves it.
ServingSetup resolve(const AskedEngines& asked, const std::shared_ptr<const LatencyModel>& latency) {
  return asked.without_a_field.empty() ? resolve_serving(asked.setup, latency)
                                       : resolve_serving(asked.setup, asked.model, asked.sharding, latency);
}

void describe(ConcurrencyCell& cell, const ConcurrencyTruth& row, const ServingEngines& engines,
              const SimulationResult& run) {
  const ServingSetup& last = engines.setups.back();
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
  cell.engine_ttft = to_milliseconds(run.metrics.engine_ttft.mean);
  cell.preemptions = run.preemptions;
  cell.tier = trust_of(run.kernels).tier;
  cell.tp = last.sharding.tensor_parallel;
  cell.expert_routing = last.expert_routing();
  if (!row.disaggregated()) return;
  cell.prefill_workers = *row.prefill.workers;
  cell.decode_workers = *row.decode.workers;
}

}  // namespace

ConcurrencyCell simulate_row(const ConcurrencyTruth& row, const ModelCatalog& catalog,
                             const ValidateConcurrencyRequest& validation,
                             const std::shared_ptr<const LatencyModel>& latency,
                             const std::optional<AssumedDrafts>& drafts) {
  const std::optional<AssumedCheckpoint> assumed = concurrency_launches().checkpoint_of(row);
  const std::vector<AskedEngines> asked = engines_asked(row, assumed, catalog, validation, drafts);
  const SimulateRequest question = question_of(row, asked, validation);
  std::vector<ServingSetup> setups;
  for (const AskedEngines& engines : asked) setups.push_back(resolve(engines, latency));
  const ServingEngines engines = engines_of(question, std::move(setups));
  const SimulationResult run =
      simulate(at_end(engines, validation.kernel_times), open_workload(question.source),
               {.step_time = validation.kernel_times, .timeline_samples = 0});
  if (requires_measured(validation.require_tier) && !is_measured(run.kernels))
    throw Unsupported(too_little_measured());
  ConcurrencyCell cell;
  describe(cell, row, engines, run);
  if (assumed && !assumed->stated) cell.checkpoint = assumed->words;
  if (!validation.commands) return cell;
  for (const AskedEngines& engine : asked)
    if (!engine.without_a_field.empty()) cell.not_asked = engine.without_a_field;
  if (cell.not_asked.empty()) cell.asked = question;
  return cell;
}

}  // namespace warploom
