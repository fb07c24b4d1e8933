#include "warploom/judge/validate/compare_baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "warploom/base/error.h"
#include "warploom/base/learning.h"
#include "warploom/baselines/method_file.h"
#include "warploom/baselines/method_model.h"
#include "warploom/baselines/train_baseline.h"
#include "warploom/kernels/roofline.h"

namespace warploom {
namespace {

bool is_roofline(const Baseline& baseline) {
  return baseline.trained == nullptr && baseline.kind == BaselineKind::Roofline;
}

// Why a row has no answer of the method's own; empty: it has one.
std::string unanswered(const Baseline& baseline, const LatencyModel& model, const LatencyEstimate& said,
                       const Operator& op, const GpuSpec& gpu, const KernelContext& context) {
  if (said.tier != Tier::Roofline || is_roofline(baseline)) return {};
  if (const auto* method = dynamic_cast<const MethodModel*>(&model)) return method->lacks(op, gpu, context);
  return "nothing was learned of this kernel";
}

void train(Baseline& baseline, const BaselineRows& rows, const GpuCatalog& catalog, std::size_t threads,
           const std::function<void(std::string_view)>& progress) {
  if (progress) progress(fmt::format("baseline {} learns from {} rows", baseline.name, rows.rows.size()));
  const WorkClock clock;
  baseline.trained =
      train_baseline(baseline.kind, rows, catalog,
                     {.rows_per_gpu = kBaselineRowsPerGpu, .threads = threads, .progress = progress});
  baseline.training = clock.cost();
}

class BaselineJudge {
 public:
  explicit BaselineJudge(const GpuCatalog& catalog) : catalog_(catalog) {}

  BaselineErrors judge(const Baseline& baseline, const LatencyModel& model, const Dataset& dataset,
                       const std::vector<std::uint32_t>& judged) {
    ErrorAccumulator overall;
    std::map<std::string, ErrorAccumulator> families, gpus;
    std::map<std::string, std::size_t> without;
    double spent = 0;
    for (const std::uint32_t row : judged) {
      const Operator& op = dataset.op(row);
      const GpuSpec& gpu = catalog_.get(dataset.gpu(row));
      const KernelContext context = dataset.context(row);
      try {
        const double start = thread_cpu_seconds();
        const LatencyEstimate said = model.estimate(op, gpu, context);
        spent += thread_cpu_seconds() - start;
        if (const std::string reason = unanswered(baseline, model, said, op, gpu, context); !reason.empty()) {
          ++without[reason];
          continue;
        }
        const Seconds plain = roofline_.estimate(op, gpu).p50;
        for (ErrorAccumulator* accumulator :
             {&overall, &families[std::string(name_of(dataset.family(row)))], &gpus[dataset.gpu(row)]})
          accumulator->add(said.p50, said.p10, said.p90, plain, dataset.latency(row));
      } catch (const Unsupported& refused) {
        ++without[fmt::format("refused: {}", refused.what())];
      }
    }
    BaselineErrors result{.name = baseline.name,
                          .overall = overall.summary(),
                          .families = summaries(families),
                          .gpus = summaries(gpus),
                          .unanswered = {without.begin(), without.end()}};
    if (!judged.empty()) result.answer_microseconds = 1e6 * spent / double(judged.size());
    return result;
  }

 private:
  const GpuCatalog& catalog_;
  const RooflineModel roofline_;
};

}  // namespace

Baseline open_baseline(const std::string& text, const FileScope& files) {
  if (const auto kind = enum_from_name<BaselineKind>(text)) return {text, *kind, nullptr};
  if (!files.holds(text) || !std::filesystem::exists(text)) parse_enum<BaselineKind>(text, "baselines");
  MethodFile file = read_method_file(text);
  return {std::filesystem::path(text).stem().string(), file.kind, std::move(file.model)};
}

bool is_learnable(const Dataset& dataset, std::uint32_t row) {
  const Marks marks = dataset.marks(row);
  return !marks.biased && !marks.source_test;
}

std::vector<Baseline> train_baselines(std::vector<Baseline> baselines, const MeasurementSource& source,
                                      const GpuCatalog& catalog,
                                      const std::function<void(std::string_view)>& progress) {
  require_learning("baselines");
  const ImportResult imported = read_measurements(source, catalog);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < imported.dataset.size(); ++row)
    if (is_learnable(imported.dataset, row)) rows.push_back(row);
  if (rows.empty()) throw InvalidInput("baselines: the source holds no usable rows to learn from");
  for (Baseline& baseline : baselines)
    if (baseline.learns()) train(baseline, {imported.dataset, rows}, catalog, 0, progress);
  return baselines;
}

std::vector<BaselineErrors> compare_baselines(const BaselineComparison& comparison, const GpuCatalog& catalog,
                                              const std::function<void(std::string_view)>& progress) {
  std::vector<BaselineErrors> result;
  BaselineJudge judge(catalog);
  for (const Baseline& baseline : comparison.baselines) {
    Baseline ready = baseline;
    if (ready.learns()) train(ready, comparison.training, catalog, comparison.threads, progress);
    const RooflineModel roofline;
    result.push_back(judge.judge(baseline, ready.trained ? *ready.trained : roofline, comparison.dataset,
                                 comparison.judged));
    result.back().training = ready.training;
  }
  return result;
}

}  // namespace warploom
