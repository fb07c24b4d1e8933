#include "warploom/judge/validate/validate_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "warploom/app/data/data_type_label.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/tier_requirement.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/kernels/roofline.h"
#include "warploom/measurements/splits.h"
#include "warploom/predictor/predictor.h"

namespace warploom {

FieldTable ValidateKernelsRequest::describe() {
  using R = ValidateKernelsRequest;
  return RequestFields<R>("validate_kernels")
      .add("source", &R::source, {.doc = "measured rows"})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("require_tier", &R::require_tier,
           {.doc = "measured: judge only rows answered from that GPU's own"})
      .add("all_rows", &R::all_rows, {.doc = "judge rows that training could see too"})
      .add("baselines", &R::baselines,
           {.doc = "also judge these on the same rows: roofline, linear, habitat, neusight, pipeweave, "
                   "kernelsight, interpolation, or files that `train` with `method` wrote"})
      .add(
          "baseline_data", &R::baseline_data,
          {.doc = "files of the same layout that baselines learn from; absent: the shapes kept for training"})
      .add("baseline_exclude_gpus", &R::baseline_exclude_gpus,
           {.doc = "GPUs that baselines do not learn from"})
      .table();
}

namespace {

// Which rows may be judged: those whose shape the family's training never saw.
class JudgedRows {
 public:
  // With baselines that learn, a model that learned nothing is judged on training's usual split too.
  JudgedRows(const LatencyModel& model, bool all_rows, bool baselines)
      : predictor_(predictor_of(model)), all_rows_(all_rows), baselines_(baselines) {}

  bool wants(const Dataset& dataset, std::size_t row) const {
    if (all_rows_) return true;
    const FamilyModel* model = predictor_ != nullptr ? predictor_->model(dataset.family(row)) : nullptr;
    if (model != nullptr && model->test_fraction > 0)
      return ShapeSplit{model->test_fraction, model->split_seed}.is_test(dataset.shape(row));
    return !baselines_ || ShapeSplit{}.is_test(dataset.shape(row));
  }

  std::string words() const {
    if (all_rows_) return "all rows, those learned from included";
    if (predictor_ == nullptr && !baselines_) return "all rows (nothing was learned)";
    return "rows of shapes kept out of training (one fold of the shape hash, on every GPU and framework "
           "alike)";
  }

 private:
  const Predictor* predictor_;
  bool all_rows_, baselines_;
};

struct Accumulators {
  ErrorAccumulator overall;
  std::map<std::string, ErrorAccumulator> families, gpus, tiers;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, ErrorAccumulator> cells;

  void add(const Dataset& dataset, std::size_t row, const LatencyEstimate& estimate, Seconds roofline) {
    const std::string family(name_of(dataset.family(row)));
    const auto add_to = [&](ErrorAccumulator& accumulator) {
      accumulator.add(estimate.p50, estimate.p10, estimate.p90, roofline, dataset.latency(row));
    };
    add_to(overall);
    add_to(families[family]);
    add_to(gpus[dataset.gpu(row)]);
    add_to(tiers[std::string(name_of(estimate.tier))]);
    add_to(cells[{family, dataset.gpu(row), data_type_label(dataset.op(row)),
                  std::string(dataset.context(row).framework)}]);
  }
};

ValidateKernelsResult result_of(const Accumulators& accumulators) {
  ValidateKernelsResult result;
  result.overall = accumulators.overall.summary();
  result.families = summaries(accumulators.families);
  result.gpus = summaries(accumulators.gpus);
  result.tiers = summaries(accumulators.tiers);
  for (const auto& [key, accumulator] : accumulators.cells) {
    result.cells.push_back(
        {std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key), accumulator.summary()});
  }
  return result;
}

// The rules that took rows out when the data was read.
std::vector<KernelRuleRows> rules_of(const std::map<std::string, std::size_t>& skipped) {
  std::vector<KernelRuleRows> rules;
  for (const KernelExclusion& rule : kernel_exclusions())
    if (const auto found = skipped.find(rule.counted_as); found != skipped.end())
      rules.push_back({.exclusion = &rule, .rows = found->second});
  return rules;
}

MeasurementSource baseline_source(const ValidateKernelsRequest& request) {
  MeasurementSource source = request.source;
  source.store.clear();
  source.gpus.clear();
  source.paths = request.baseline_data;
  return source;
}

[[noreturn]] void throw_nothing_to_learn() {
  throw InvalidInput(
      "validate kernels: no row is left for baselines to learn from; `baseline_data` names other rows");
}

[[noreturn]] void throw_nothing_to_judge(bool measured_alone) {
  if (measured_alone)
    throw Unsupported("require_tier: no row to judge is answered from measurements of its GPU");
  throw InvalidInput(
      "validate kernels: no row is left to judge; `all_rows` judges those that training could see too");
}

bool any_learns(const std::vector<Baseline>& baselines) {
  return std::any_of(baselines.begin(), baselines.end(), [](const Baseline& b) { return b.learns(); });
}

std::vector<Baseline> open_baselines(const ValidateKernelsRequest& request) {
  std::vector<Baseline> baselines;
  for (const std::string& text : request.baselines) baselines.push_back(open_baseline(text, request.files));
  if (any_learns(baselines) && request.all_rows && request.baseline_data.empty()) throw_nothing_to_learn();
  return baselines;
}

// Leaves what training may use: rows neither chosen as bad nor a publisher's test, on GPUs not left out.
void keep_learnable(const Dataset& dataset, const GpuCatalog& catalog, const ValidateKernelsRequest& request,
                    bool learns, std::vector<std::uint32_t>& rows) {
  std::set<std::string> excluded;
  for (const std::string& gpu : request.baseline_exclude_gpus) excluded.insert(catalog.get(gpu).name);
  std::erase_if(rows, [&](std::uint32_t row) {
    return !is_learnable(dataset, row) || excluded.contains(dataset.gpu(row));
  });
  if (rows.empty() && learns) throw_nothing_to_learn();
}

}  // namespace

ValidateKernelsResult validate_kernels(const ValidateKernelsRequest& request) {
  const bool measured_alone = requires_measured(request.require_tier);
  const std::vector<Baseline> baselines = open_baselines(request);
  const GpuCatalog catalog;
  const std::unique_ptr<const LatencyModel> model = open_latency_model(request.predictor, request.files);
  const RooflineModel roofline;
  const ImportResult imported = read_measurements(request.source, catalog);
  const Dataset& dataset = imported.dataset;
  if (request.progress) request.progress(fmt::format("{} rows read", dataset.size()));
  const JudgedRows judged(*model, request.all_rows, !request.baselines.empty());

  Accumulators accumulators;
  std::vector<std::uint32_t> judged_rows, other_rows;
  std::map<std::string, std::size_t> skipped;
  for (const SkippedRows& entry : imported.report.skipped()) skipped[entry.reason] += entry.rows;
  for (std::size_t row = 0; row < dataset.size(); ++row) {
    if (request.progress && row % 500000 == 0 && row > 0)
      request.progress(fmt::format("{} of {} rows", row, dataset.size()));
    if (!judged.wants(dataset, row)) {
      ++skipped["shape was available to training"];
      if (!baselines.empty()) other_rows.push_back(std::uint32_t(row));
      continue;
    }
    try {
      const GpuSpec& gpu = catalog.get(dataset.gpu(row));
      const LatencyEstimate estimate = model->estimate(dataset.op(row), gpu, dataset.context(row));
      if (measured_alone && estimate.tier != Tier::Measured) {
        ++skipped[unmeasured_reason(estimate.tier)];
        continue;
      }
      if (!baselines.empty()) judged_rows.push_back(std::uint32_t(row));
      accumulators.add(dataset, row, estimate, roofline.estimate(dataset.op(row), gpu).p50);
    } catch (const Unsupported& error) {
      ++skipped[fmt::format("refused: {}", error.what())];
    }
  }
  if (accumulators.overall.size() == 0) throw_nothing_to_judge(measured_alone);
  ValidateKernelsResult result = result_of(accumulators);
  result.split = judged.words();
  result.noise = imported.report.noise;
  result.rules = rules_of(skipped);
  if (!baselines.empty()) {
    ImportResult apart;
    if (!request.baseline_data.empty()) {
      apart = read_measurements(baseline_source(request), catalog);
      other_rows.resize(apart.dataset.size());
      std::iota(other_rows.begin(), other_rows.end(), 0U);
      if (!request.all_rows)
        std::erase_if(other_rows, [&](std::uint32_t row) { return judged.wants(apart.dataset, row); });
    }
    const Dataset& source = request.baseline_data.empty() ? dataset : apart.dataset;
    keep_learnable(source, catalog, request, any_learns(baselines), other_rows);
    result.baselines =
        compare_baselines({baselines, {source, other_rows}, dataset, judged_rows}, catalog, request.progress);
  }
  for (const auto& [reason, rows] : skipped) result.skipped.push_back({reason, rows});
  std::stable_sort(result.skipped.begin(), result.skipped.end(),
                   [](const SkippedCount& a, const SkippedCount& b) { return a.rows > b.rows; });
  return result;
}

}  // namespace warploom
