#include "warploom/app/validate/compare_baselines.h"

#include <fmt/format.h>

#include <map>

#include "warploom/base/error.h"
#include "warploom/baselines/train_baseline.h"
#include "warploom/kernels/roofline.h"

namespace warploom {
namespace {

std::vector<std::pair<std::string, ErrorSummary>> summaries(
    const std::map<std::string, ErrorAccumulator>& accumulators) {
  std::vector<std::pair<std::string, ErrorSummary>> result;
  for (const auto& [name, accumulator] : accumulators) result.emplace_back(name, accumulator.summary());
  return result;
}

BaselineErrors judge(const LatencyModel& model, const Dataset& dataset,
                     const std::vector<std::uint32_t>& judged, const GpuCatalog& catalog) {
  const RooflineModel roofline;
  ErrorAccumulator overall;
  std::map<std::string, ErrorAccumulator> families, gpus;
  for (const std::uint32_t row : judged) {
    try {
      const GpuSpec& gpu = catalog.get(dataset.gpu(row));
      const LatencyEstimate said = model.estimate(dataset.op(row), gpu, dataset.context(row));
      const Seconds plain = roofline.estimate(dataset.op(row), gpu).p50;
      for (ErrorAccumulator* accumulator :
           {&overall, &families[std::string(name_of(dataset.family(row)))], &gpus[dataset.gpu(row)]}) {
        accumulator->add(said.p50, said.p10, said.p90, plain, dataset.latency(row));
      }
    } catch (const Unsupported&) {
      continue;
    }
  }
  return {{}, overall.summary(), summaries(families), summaries(gpus)};
}

}  // namespace

std::vector<BaselineErrors> compare_baselines(const std::vector<BaselineKind>& kinds,
                                              const BaselineRows& training, const Dataset& dataset,
                                              const std::vector<std::uint32_t>& judged,
                                              const GpuCatalog& catalog,
                                              const std::function<void(std::string_view)>& progress) {
  std::vector<BaselineErrors> result;
  for (const BaselineKind kind : kinds) {
    if (progress)
      progress(fmt::format("baseline {} learns from {} rows", name_of(kind), training.rows.size()));
    const auto model = train_baseline(kind, training, catalog);
    result.push_back(judge(*model, dataset, judged, catalog));
    result.back().name = name_of(kind);
  }
  return result;
}

}  // namespace warploom
