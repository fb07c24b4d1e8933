#include "warploom/judge/validate/validate_static.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/tier_requirement.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/measured_time.h"
#include "warploom/base/request_fields.h"
#include "warploom/judge/validate/compare_baselines.h"
#include "warploom/judge/validate/published_static.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/kernels/roofline.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/engine_kernels.h"
#include "warploom/serving/static_batch.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

FieldTable ValidateStaticRequest::describe() {
  using R = ValidateStaticRequest;
  return RequestFields<R>("validate_static")
      .add("truth", &R::truth, {.doc = "measured batches", .required = true})
      .add("requests", &R::requests, {.doc = "prompt lengths of each workload", .required = true})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("require_tier", &R::require_tier, {.doc = "measured: leave out rows of kernels that never were"})
      .add("expert_routing", &R::expert_routing, {.doc = kExpertRoutingDoc})
      .add("host", &R::host, {.doc = "constants of the host in place of the engine's"})
      .add("baselines", &R::baselines,
           {.doc = "also judge these, composed as published: roofline, linear, habitat, neusight, pipeweave, "
                   "kernelsight, interpolation, or files that `train` with `method` wrote"})
      .add("source", &R::source, {.doc = "measured rows that baselines learn from"})
      .table();
}

namespace {

std::int64_t count_in(const CsvReader& csv, std::size_t column) {
  const std::int64_t value = csv.integer(column);
  if (value < 1 || value > kMaxRequestTokens) {
    throw InvalidInput(
        fmt::format("{}: is {}, expected 1 to {}", csv.where(column), value, kMaxRequestTokens));
  }
  return value;
}

double time_in(const CsvReader& csv, std::size_t column) { return measured_time(csv, column, kMilliseconds); }

std::optional<double> optional_time_in(const CsvReader& csv, std::size_t column) {
  if (csv.empty(column)) return std::nullopt;
  return time_in(csv, column);
}

const std::vector<std::int32_t>& prompts_of(const StaticTruth& row, const StaticWorkloads& workloads,
                                            const std::filesystem::path& truth) {
  const auto found = workloads.find(row.workload);
  if (found == workloads.end()) {
    throw InvalidInput(fmt::format("{}:{}: workload '{}' is not in the list of requests", truth.string(),
                                   row.line, row.workload));
  }
  if (std::ssize(found->second) != row.batch) {
    throw InvalidInput(fmt::format("{}:{}: batch_size is {}, expected the {} requests of workload '{}'",
                                   truth.string(), row.line, row.batch, found->second.size(), row.workload));
  }
  return found->second;
}

std::optional<Comparison> compare(const std::optional<double>& measured_ms, Seconds predicted) {
  if (!measured_ms) return std::nullopt;
  return Comparison{*measured_ms, to_milliseconds(predicted)};
}

StaticValidationRow row_of(const StaticTruth& row) {
  StaticValidationRow result;
  result.hardware = row.hardware;
  result.engine = row.engine;
  result.model = row.model;
  result.workload = row.workload;
  result.tp = row.tp;
  result.pp = row.pp;
  result.batch = row.batch;
  return result;
}

ServingSetupRequest setup_of(const StaticTruth& row, const ValidateStaticRequest& validation) {
  ServingSetupRequest request;
  request.host = validation.host;
  request.files = validation.files;
  request.model = row.model;
  request.gpu = row.hardware;
  request.framework = row.engine;
  request.config.tensor_parallel_size = row.tp;
  request.config.pipeline_parallel_size = row.pp;
  if (load_model(row.model, validation.files).mixture() != nullptr)
    request.expert_routing = validation.expert_routing;
  return request;
}

// Nothing where `require_tier` leaves the row out.
std::optional<StaticValidationRow> price_row(const StaticTruth& row, const std::vector<std::int32_t>& prompts,
                                             const ValidateStaticRequest& validation,
                                             const std::shared_ptr<const LatencyModel>& latency) {
  const ServingSetup setup = resolve_serving(setup_of(row, validation), latency, MemoryCheck::None);
  const StaticBatchTime time = price_static_batch(prompts, row.output_tokens, *setup.pricer, setup.config);
  StaticValidationRow result = row_of(row);
  result.prefill = compare(row.prefill, time.prefill);
  result.decode = compare(row.decode, time.decode_mean);
  result.total = {row.total, to_milliseconds(time.total)};
  result.total_p10 = to_milliseconds(time.total_p10);
  result.total_p90 = to_milliseconds(time.total_p90);
  result.host = to_milliseconds(time.host);
  result.collectives = to_milliseconds(time.collectives);
  if (requires_measured(validation.require_tier) && !is_measured(setup.pricer->breakdown()))
    return std::nullopt;
  result.tier = trust_of(setup.pricer->breakdown()).tier;
  result.expert_routing = setup.expert_routing();
  return result;
}

// Each with a model, those by name trained.
std::vector<Baseline> trained_baselines(const ValidateStaticRequest& request, const GpuCatalog& catalog) {
  std::vector<Baseline> baselines;
  for (const std::string& text : request.baselines) baselines.push_back(open_baseline(text, request.files));
  const bool learns =
      std::any_of(baselines.begin(), baselines.end(), [](const Baseline& b) { return b.learns(); });
  const bool source =
      !request.source.store.empty() || !request.source.layout.empty() || !request.source.paths.empty();
  if (source && !learns)
    throw InvalidInput(
        "validate static: a source of measurements is for baselines that learn, expected none");
  if (learns && !source)
    throw InvalidInput(
        "validate static: baselines that learn need measurements (`store`, or `layout` and `data`), or name "
        "a file that `train` with `method` wrote");
  return learns ? train_baselines(std::move(baselines), request.source, catalog, request.progress)
                : baselines;
}

// KernelSight-LM alone says what a step takes beside its kernels.
bool counts_host(const Baseline& baseline) { return baseline.kind == BaselineKind::KernelSight; }

struct StepHosts {
  StepHost prefill, decode;
};

// What a step of the row's engine waits for: the GPU's gap, the host's work beside it, the tokens' way out.
StepHosts step_hosts(const StaticTruth& row, const ValidateStaticRequest& validation) {
  const ServingSetup setup =
      resolve_serving(setup_of(row, validation), std::make_shared<RooflineModel>(), MemoryCheck::None);
  const auto host_of = [&](LaunchMode mode) {
    const HostStep host = setup.config.host.step(row.batch, mode);
    return StepHost{host.gap + host.pause, host.before + host.launch + host.finish, host.finish};
  };
  return {host_of(LaunchMode::Kernels), host_of(LaunchMode::Graph)};
}

StaticBaseline judge_baseline(const Baseline& baseline, const std::vector<StaticTruth>& truth,
                              const StaticWorkloads& workloads, const ValidateStaticRequest& request,
                              const GpuCatalog& catalog) {
  const RooflineModel roofline;
  const LatencyModel& latency = baseline.trained ? *baseline.trained : roofline;
  StaticBaseline result{.name = baseline.name, .rows = {}, .training = baseline.training};
  Seconds predicted{0.0}, without{0.0};
  for (const StaticTruth& row : truth) {
    const std::vector<std::int32_t>& prompts = prompts_of(row, workloads, request.truth);
    const ModelArchitecture model = load_model(row.model, request.files);
    const KernelNames names = kernels_of(row.engine, "");
    const StepHosts host = counts_host(baseline) ? step_hosts(row, request) : StepHosts();
    const PublishedBatchTime time = price_published_batch({.model = model,
                                                           .gpu = catalog.get(row.hardware),
                                                           .names = names,
                                                           .tensor_parallel = row.tp,
                                                           .pipeline_parallel = row.pp,
                                                           .prompts = prompts,
                                                           .output_tokens = row.output_tokens,
                                                           .prefill_host = host.prefill,
                                                           .decode_host = host.decode},
                                                          latency);
    StaticValidationRow judged = row_of(row);
    judged.prefill = compare(row.prefill, time.prefill);
    judged.decode = compare(row.decode, time.decode_mean);
    judged.total = {row.total, to_milliseconds(time.total)};
    judged.total_p10 = judged.total_p90 = judged.total.predicted;
    judged.collectives = to_milliseconds(time.collectives);
    predicted += time.total;
    without += time.roofline;
    result.rows.push_back(std::move(judged));
  }
  result.roofline_share = without / predicted;
  return result;
}

}  // namespace

std::vector<StaticTruth> read_static_truth(const std::filesystem::path& path) {
  CsvReader csv(path);
  const std::size_t hardware = csv.column("hardware"), engine = csv.column("engine"),
                    model = csv.column("model"), workload = csv.column("workload"), tp = csv.column("tp"),
                    pp = csv.column("pp"), batch = csv.column("batch_size"),
                    output = csv.column("output_len"), prefill = csv.column("real_prefill_ms"),
                    decode = csv.column("real_decode_ms"), total = csv.column("real_total_ms");
  std::vector<StaticTruth> rows;
  while (csv.next()) {
    rows.push_back({.hardware = std::string(csv.cell(hardware)),
                    .engine = std::string(csv.cell(engine)),
                    .model = std::string(csv.cell(model)),
                    .workload = std::string(csv.cell(workload)),
                    .tp = count_in(csv, tp),
                    .pp = count_in(csv, pp),
                    .batch = count_in(csv, batch),
                    .output_tokens = count_in(csv, output),
                    .prefill = optional_time_in(csv, prefill),
                    .decode = optional_time_in(csv, decode),
                    .total = time_in(csv, total),
                    .line = csv.line()});
  }
  if (rows.empty())
    throw InvalidInput(fmt::format("{}: holds no rows, expected at least one", path.string()));
  return rows;
}

StaticWorkloads read_static_workloads(const std::filesystem::path& path) {
  CsvReader csv(path);
  const std::size_t workload = csv.column("workload"), tokens = csv.column("num_prefill_tokens");
  StaticWorkloads workloads;
  while (csv.next()) {
    workloads[std::string(csv.cell(workload))].push_back(std::int32_t(count_in(csv, tokens)));
  }
  return workloads;
}

StaticValidation validate_static(const ValidateStaticRequest& request,
                                 const std::shared_ptr<const LatencyModel>& latency) {
  check_queue_host(request.host, "validate static");
  if (!request.expert_routing.empty()) parse_expert_routing(request.expert_routing, "expert_routing");
  const GpuCatalog catalog;
  const std::vector<Baseline> baselines = trained_baselines(request, catalog);
  std::vector<StaticTruth> truth = read_static_truth(request.truth);
  const StaticWorkloads workloads = read_static_workloads(request.requests);
  StaticValidation validation;
  validation.left_out = std::erase_if(truth, [&](const StaticTruth& row) {
    auto priced = price_row(row, prompts_of(row, workloads, request.truth), request, latency);
    const bool left_out = !priced;
    if (!left_out) validation.rows.push_back(*std::move(priced));
    return left_out;
  });
  if (truth.empty())
    throw Unsupported(
        fmt::format("{}; expected some such row in {}", too_little_measured(), request.truth.string()));
  for (const Baseline& baseline : baselines)
    validation.baselines.push_back(judge_baseline(baseline, truth, workloads, request, catalog));
  const auto dense = [](const StaticValidationRow& row) { return row.expert_routing.empty(); };
  if (!request.expert_routing.empty() && std::all_of(validation.rows.begin(), validation.rows.end(), dense))
    throw InvalidInput(
        fmt::format("expert_routing: says how tokens choose experts, which no model of {} "
                    "has, expected none",
                    request.truth.string()));
  return validation;
}

StaticValidation validate_static(const ValidateStaticRequest& request) {
  return validate_static(request, open_latency_model(request.predictor, request.files));
}

}  // namespace warploom
