#include "warploom/predictor/answer/donor_answers.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "warploom/predictor/answer/measured_estimate.h"

namespace warploom {
namespace {

constexpr double kFarthest = 1;  // ln; larger residuals of a donor are cut to this

// The residual on one GPU with trees of its own; nothing when it does not run the kernel.
std::optional<double> residual_on(const LoadedFamily& family, std::size_t gpu, const KernelCall& call,
                                  const OperatorFeatures& asked) {
  const GpuSpec* spec = family.specs[gpu];
  if (family.by_gpu[gpu] < 0 || spec == nullptr) return {};
  const CellIndex::Found found = family.index.find(*spec, call.context, call.kind);
  if (!found.measured || !found.exact_kind ||
      family.kernel(*found.cell).asked_like(call.kernel) != call.kernel)
    return {};
  const ContextRecord& record = family.model.contexts[found.cell->context];
  if (record.kernel != call.context.kernel || record.framework != call.context.framework) return {};
  OperatorFeatures row;
  family.features_of(gpu, call.op, call.kernel, row);
  row.log_base = log_base_with(found.cell->overhead, row);
  return log_base_with(found.cell->overhead, asked) - asked.log_base +
         measured_estimate(family, *found.cell, row).log_p50 - row.log_base;
}

}  // namespace

void DonorAnswers::add(double value) {
  if (count < kMost) values[count++] = float(std::clamp(value, -kFarthest, kFarthest));
}

DonorAnswers donor_answers(const LoadedFamily& family, const KernelCall& call, const OperatorFeatures& asked,
                           double predicted_residual) {
  DonorAnswers answers;
  const auto& gpus = family.model.gpus;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (;;) {
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (const GpuRecord& gpu : gpus)
      if (!gpu.adapted && gpu.architecture > last) next = std::min<std::int64_t>(next, gpu.architecture);
    if (next == std::numeric_limits<std::int64_t>::max()) break;
    last = next;
    double sum = 0;
    int count = 0;
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      if (gpus[g].adapted || gpus[g].architecture != next) continue;
      if (const auto residual = residual_on(family, g, call, asked)) {
        sum += *residual;
        ++count;
      }
    }
    answers.add(count > 0 ? sum / count : 0.0);
  }
  answers.add(predicted_residual);
  return answers;
}

}  // namespace warploom
