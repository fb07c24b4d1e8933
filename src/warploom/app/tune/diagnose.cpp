#include "warploom/app/tune/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/ceiling/ceiling_features.h"
#include "warploom/kernels/collectives/across_nodes.h"
#include "warploom/steps/step_kernels.h"

namespace warploom {

FieldTable DiagnoseRequest::describe() {
  using R = DiagnoseRequest;
  return RequestFields<R>("diagnose")
      .add("gpu", &R::gpu, {.doc = "a name (see `warploom gpus`) or the path of a record", .required = true})
      .add("source", &R::source, {.doc = "measured rows"})
      .add("workload", &R::workload, {.doc = "a predicted static batch, in place of measured rows"})
      .add("quantile", &R::quantile, {.doc = "of the ceiling, 0.5 to 0.99", .min = 0.5, .max = 0.99})
      .add("ceilings", &R::ceilings, {.doc = "a folder that `train-ceilings` wrote"})
      .add("views", &R::views,
           {.doc = "also as a page: rooflines, one of each pipeline", .choices = kDiagnosisViews})
      .table();
}

namespace {

// Neighbouring quantiles, for the interval of what would be saved.
constexpr double kQuantileStep = 0.1;

// n_samples is the number of timings in a sweep and of calls in a trace.
bool is_sweep(Layout layout) {
  switch (layout) {
    case Layout::Warploom:
    case Layout::Aiconfigurator:
    case Layout::Pipeweave:
    case Layout::Vidur:
    case Layout::Neusight:
      return true;
    case Layout::Kineto:
    case Layout::Nsight:
      return false;
  }
  WARPLOOM_NEVER("a layout that is neither sweep nor trace");
  return false;
}

struct Diagnoser {
  const CeilingModel& ceilings;
  const GpuSpec& gpu;
  Diagnosis& result;
  std::shared_ptr<const LatencyModel> latency{};  // that priced the kernels; null: they were measured
  RoutingCache routing;
  std::map<std::string, LeftOut> left_out;
  std::set<Family> borrowed;

  void leave_out(const std::string& what, Seconds time) {
    LeftOut& entry = left_out[what];
    entry.what = what;
    ++entry.rows;
    entry.time = entry.time.value_or(Seconds(0.0)) + time;
  }

  // Returns nothing for what has no ceiling. p10 and p90 of one call, whose implementation is `context`.
  const DiagnosedKernel* add(DiagnosedKernel kernel, Seconds p10, Seconds p90, const KernelContext& context) {
    const Family family = family_of(kernel.op);
    if (ceilings.family(family) == nullptr) {
      leave_out(fmt::format("{}: no ceiling of the family", name_of(family)), kernel.actual * kernel.calls);
      return nullptr;
    }
    const ProfileSources sources{
        .constants = latency != nullptr ? fitted_constants(*latency, kernel.op, gpu) : nullptr,
        .routing = &routing};
    KernelProfile p, learned;  // what is shown; what ceilings were learned on
    try {
      p = profile(kernel.op, gpu, context, sources);
      learned = ceiling_profile(kernel.op, gpu, &routing);
    } catch (const Unsupported& error) {
      leave_out(error.what(), kernel.actual * kernel.calls);
      return nullptr;
    }
    const auto at = [&](double q) {
      return ceilings.ceiling(kernel.op, gpu, learned, std::clamp(q, kLeastQuantile, kMostQuantile));
    };
    kernel.ceiling = at(result.quantile);
    kernel.gap = gap_of(kernel.ceiling, kernel.actual);
    kernel.least_saved = std::min(kernel.gap.saved, gap_of(at(result.quantile - kQuantileStep), p10).saved);
    kernel.most_saved = std::max(kernel.gap.saved, gap_of(at(result.quantile + kQuantileStep), p90).saved);
    kernel.bound = p.limited_by;
    kernel.causes = counterfactuals({kernel.op, gpu, context, sources, p, kernel.actual});
    kernel.demand = p.demand;
    kernel.useful_flop = p.work.matrix_flop.value() + p.work.fma_flop.value();
    if (!kernel.ceiling.known_gpu) borrowed.insert(family);
    result.kernels.push_back(std::move(kernel));
    return &result.kernels.back();
  }

  void finish() {
    for (auto& [what, entry] : left_out) result.left_out.push_back(entry);
    for (const Family family : borrowed)
      result.borrowed.emplace_back(name_of(family), ceilings.family(family)->gpus);
    rank(result);
  }
};

[[noreturn]] void throw_no_kernel(const ImportReport& report, const Diagnosis& result) {
  std::string reasons;
  for (const SkippedRows& entry : report.skipped())
    reasons += fmt::format("{}{} rows: {}", reasons.empty() ? "" : "; ", entry.rows, entry.reason);
  for (const LeftOut& entry : result.left_out)
    reasons += fmt::format("{}{} rows: {}", reasons.empty() ? "" : "; ", entry.rows, entry.what);
  throw InvalidInput(
      fmt::format("diagnose: no kernel of {} with a known family and shape, expected measured kernels with "
                  "their sizes (a PyTorch trace needs record_shapes=True){}{}",
                  result.gpu, reasons.empty() ? "" : "; left out: ", reasons));
}

std::string label_of(const Dataset& dataset, std::uint32_t row) {
  const KernelContext context = dataset.context(row);
  std::string label(context.kernel.empty() ? name_of(dataset.family(row)) : context.kernel);
  if (!context.framework.empty()) label = fmt::format("{} {}", context.framework, label);
  return label;
}

void add_measured(const DiagnoseRequest& request, const GpuCatalog& catalog, Diagnoser& diagnoser) {
  MeasurementSource source = request.source;
  if (!source.paths.empty() && source.layout.empty()) source.layout = name_of(Layout::Warploom);
  source.gpus = {diagnoser.gpu.name};
  const ImportResult imported = read_measurements(source, catalog);
  const Dataset& dataset = imported.dataset;
  for (std::uint32_t row = 0; row < dataset.size(); ++row) {
    const Seconds actual = dataset.latency(row);
    diagnoser.add({.label = label_of(dataset, row),
                   .op = dataset.op(row),
                   .calls = is_sweep(dataset.layout(row)) ? 1.0 : double(dataset.n_samples(row)),
                   .actual = actual},
                  actual, actual, dataset.context(row));
  }
  for (const SkippedRows& entry : imported.report.skipped())
    diagnoser.result.left_out.push_back({.what = entry.reason, .rows = entry.rows, .time = std::nullopt});
  diagnoser.finish();
  if (diagnoser.result.kernels.empty()) throw_no_kernel(imported.report, diagnoser.result);
}

// Adds the kernels of one step that runs `times`, and what its figure, now at `now`, gains by their ceilings.
void add_step(const ServingSetup& setup, const StepShape& shape, ExpectedChange change, double times,
              Diagnoser& diagnoser) {
  for (const PricedNode& priced : price_graph(setup, shape).nodes) {
    const OperatorNode& node = priced.node;
    const LatencyEstimate& estimate = priced.one_call;
    const auto count = double(node.count);
    // The rule says what engines' kernels likely take; none was measured that could be slower than others.
    const bool by_rule = !priced.source.kernel.empty() && priced.source.kernel == rule_of(node.op);
    if (by_rule || is_network_kernel(priced.source.kernel)) {
      diagnoser.leave_out(
          fmt::format("{}: priced by a rule, not by a measured kernel", name_of(family_of(node.op))),
          estimate.p50 * (count * times));
      continue;
    }
    const DiagnosedKernel* kernel = diagnoser.add(
        {.label = std::string(node.label),
         .op = node.op,
         .calls = count * times,
         .actual = estimate.p50,
         .source = priced.source},
        estimate.p10, estimate.p90, {priced.source.framework, priced.source.version, priced.source.kernel});
    if (kernel == nullptr) continue;
    change.saved += kernel->gap.saved * count;
    change.least_saved += kernel->least_saved * count;
    change.most_saved += kernel->most_saved * count;
  }
  diagnoser.result.changes.push_back(change);
}

void add_predicted(const StaticBatchRequest& request, std::shared_ptr<const LatencyModel> latency,
                   Diagnoser& diagnoser) {
  diagnoser.latency = latency;
  const ServingSetup setup = resolve_asked(request.setup, std::move(latency));
  const StaticBatchTime time = price_static_batch(request, setup).time;
  add_step(setup, StepShape::whole_prompts(request.batch, request.input_tokens),
           {.figure = "TTFT", .now = time.prefill}, 1, diagnoser);
  if (request.output_tokens > 1)
    add_step(setup,
             StepShape::one_token_each(request.batch, request.input_tokens + (request.output_tokens - 2) / 2),
             {.figure = "TPOT", .now = time.decode_mean}, double(request.output_tokens - 1), diagnoser);
  const std::string routing = setup.expert_routing();
  diagnoser.result.source = fmt::format("{}{}, batch {} of {} + {} tokens", setup.model.name,
                                        routing.empty() ? "" : ", experts routed " + routing, request.batch,
                                        request.input_tokens, request.output_tokens);
  diagnoser.finish();
}

}  // namespace

Diagnosis diagnose(const DiagnoseRequest& request, std::shared_ptr<const LatencyModel> latency) {
  check_quantile(request.quantile, "quantile");
  const bool measured = !request.source.paths.empty() || !request.source.store.empty();
  if (measured == request.workload.has_value())
    throw InvalidInput(
        "diagnose: expected measured kernels (`data` or `store`) or a predicted workload (`model`), "
        "one of them");
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.load_gpu(request.gpu, request.files);
  if (request.workload)
    if (const GpuSpec& other = catalog.load_gpu(request.workload->setup.gpu, request.files);
        other.name != gpu.name)
      throw InvalidInput(fmt::format("gpu is {}, and {} in `setup`, expected one GPU", gpu.name, other.name));
  const CeilingModel ceilings = request.ceilings.empty() ? CeilingModel() : CeilingModel(request.ceilings);
  Diagnosis result{.gpu = gpu.name, .source = "measured kernels", .quantile = request.quantile, .spec = gpu};
  Diagnoser diagnoser{
      .ceilings = ceilings, .gpu = gpu, .result = result, .routing = {}, .left_out = {}, .borrowed = {}};
  if (request.workload)
    add_predicted(*request.workload, std::move(latency), diagnoser);
  else
    add_measured(request, catalog, diagnoser);
  return result;
}

Diagnosis diagnose(const DiagnoseRequest& request) {
  return diagnose(request, request.workload ? open_latency_model(request.workload->setup.predictor,
                                                                 request.workload->setup.files)
                                            : nullptr);
}

}  // namespace warploom
