#include "warploom/app/data/train_method.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "warploom/app/data/predictor_folder.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/statistics.h"
#include "warploom/baselines/kernelsight/train_kernelsight.h"
#include "warploom/baselines/method_file.h"
#include "warploom/baselines/pipeweave/train_pipeweave.h"
#include "warploom/kernels/roofline.h"
#include "warploom/measurements/splits.h"

namespace warploom {
namespace {

using baselines::KernelSightModel;
using baselines::PipeWeaveModel;

struct MethodRows {
  std::vector<std::uint32_t> learned, held_out;
  std::uint64_t hash = 0;
};

MethodRows rows_of_method(const MethodRequest& request, const Dataset& dataset) {
  MethodRows rows;
  const ShapeSplit split;
  for (std::uint32_t row = 0; row < dataset.size(); ++row) {
    const Marks marks = dataset.marks(row);
    if (marks.biased || marks.source_test || request.exclude_gpus.contains(dataset.gpu(row))) continue;
    const bool held_out = split.is_test(dataset.shape(row));
    (held_out ? rows.held_out : rows.learned).push_back(row);
    if (held_out) continue;
    const auto nanoseconds = std::uint64_t(dataset.latency(row).value() * 1e9);
    rows.hash = hash_combine(hash_combine(rows.hash, dataset.shape(row)), nanoseconds);
  }
  return rows;
}

// Errors of latency, and of efficiency, which is in inverse proportion to it.
struct HeldOutErrors {
  ErrorAccumulator latency;
  std::vector<double> efficiency;
};

// The kernel that errors of a row count to; nothing for a row that the method has no model for.
using KernelOfRow =
    std::function<std::optional<std::string>(const Operator&, const GpuSpec&, const KernelContext&)>;

std::map<std::string, HeldOutErrors> judge_kernels(const MethodModel& model, const Dataset& dataset,
                                                   const std::vector<std::uint32_t>& rows,
                                                   const GpuCatalog& catalog, const KernelOfRow& kernel_of) {
  std::map<std::string, HeldOutErrors> errors;
  const RooflineModel roofline;
  for (const std::uint32_t row : rows) {
    const Operator& op = dataset.op(row);
    const GpuSpec& gpu = catalog.get(dataset.gpu(row));
    const KernelContext context = dataset.context(row);
    const std::optional<std::string> kernel = kernel_of(op, gpu, context);
    if (!kernel) continue;
    try {
      const LatencyEstimate said = model.estimate(op, gpu, context);
      HeldOutErrors& of_kernel = errors[*kernel];
      const Seconds measured = dataset.latency(row);
      of_kernel.latency.add(said.p50, said.p10, said.p90, roofline.estimate(op, gpu).p50, measured);
      of_kernel.efficiency.push_back(std::abs(measured / said.p50 - 1));
    } catch (const Unsupported&) {
      continue;  // sizes that the method has no tile for
    }
  }
  return errors;
}

void write_method(const MethodRequest& request, const MethodRows& rows, const auto& model) {
  write_file_atomically(request.output, method_to_bytes(model, {.data_hash = rows.hash,
                                                                .seed = request.seed,
                                                                .rows = std::uint64_t(rows.learned.size()),
                                                                .quantile = request.quantile}));
}

void add_errors(std::vector<MethodTraining>& kernels, const std::map<std::string, HeldOutErrors>& errors) {
  const HeldOutErrors none;
  for (MethodTraining& kernel : kernels) {
    const auto found = errors.find(kernel.kernel);
    const HeldOutErrors& of_kernel = found == errors.end() ? none : found->second;
    kernel.held_out = of_kernel.latency.summary();
    kernel.efficiency_mean_error = mean(of_kernel.efficiency);
  }
}

std::vector<MethodTraining> train_pipeweave_file(const MethodRequest& request, const Dataset& dataset,
                                                 const GpuCatalog& catalog) {
  const MethodRows rows = rows_of_method(request, dataset);
  const PipeWeaveModel model = baselines::train_pipeweave({dataset, rows.learned}, catalog,
                                                          {.rows_per_gpu = request.rows_per_gpu,
                                                           .quantile = request.quantile,
                                                           .seed = request.seed,
                                                           .threads = request.threads,
                                                           .progress = request.progress});
  if (model.kernels().empty() && model.forests().empty())
    throw InvalidInput(fmt::format("train: no kernel of {} has {} rows to learn from", request.method,
                                   baselines::kFewestEfficiencyRows));
  write_method(request, rows, model);
  std::vector<MethodTraining> result;
  for (const auto& [kernel, learned] : model.kernels())
    result.push_back({.kernel = std::string(name_of(kernel)),
                      .learner = {},
                      .rows_learned = learned.rows,
                      .gpus = learned.gpus,
                      .held_out = {}});
  const KernelOfRow kernel_of = [&](const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) -> std::optional<std::string> {
    const auto choice = published::published_kernel(op, gpu, context);
    if (!choice.kernel || !model.kernels().contains(*choice.kernel)) return std::nullopt;
    return std::string(name_of(*choice.kernel));
  };
  add_errors(result, judge_kernels(model, dataset, rows.held_out, catalog, kernel_of));
  return result;
}

std::vector<MethodTraining> train_kernelsight_file(const MethodRequest& request, const Dataset& dataset,
                                                   const GpuCatalog& catalog) {
  const MethodRows rows = rows_of_method(request, dataset);
  const KernelSightModel model = baselines::train_kernelsight({dataset, rows.learned}, catalog,
                                                              {.rows_per_gpu = request.rows_per_gpu,
                                                               .seed = request.seed,
                                                               .threads = request.threads,
                                                               .progress = request.progress});
  if (model.families().empty())
    throw InvalidInput("train: the source holds no rows for kernelsight to learn from");
  write_method(request, rows, model);
  std::vector<MethodTraining> result;
  for (const auto& [family, learned] : model.families())
    result.push_back({.kernel = std::string(name_of(family)),
                      .learner = std::string(learned.learner ? name_of(*learned.learner) : ""),
                      .rows_learned = std::size_t(learned.rows),
                      .gpus = learned.gpus,
                      .held_out = {}});
  const KernelOfRow kernel_of = [&](const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) -> std::optional<std::string> {
    if (!model.lacks(op, gpu, context).empty()) return std::nullopt;
    return std::string(name_of(family_of(op)));
  };
  add_errors(result, judge_kernels(model, dataset, rows.held_out, catalog, kernel_of));
  return result;
}

}  // namespace

void check_method(const MethodRequest& request) {
  const auto kind = enum_from_name<BaselineKind>(request.method);
  if (kind != BaselineKind::PipeWeave && kind != BaselineKind::KernelSight)
    throw InvalidInput(
        fmt::format("method: '{}' is unknown, expected pipeweave or kernelsight", request.method));
  if (kind == BaselineKind::KernelSight && request.quantile > 0)
    throw InvalidInput("quantile: is of the networks of pipeweave, expected none with `method` kernelsight");
  if (std::filesystem::is_directory(request.output))
    throw InvalidInput(
        fmt::format("output: {} is a folder, expected a file for the method", request.output.string()));
  check_output_folder(std::filesystem::absolute(request.output).parent_path());
}

std::vector<MethodTraining> train_method(const MethodRequest& request, const Dataset& dataset,
                                         const GpuCatalog& catalog) {
  const bool kernelsight = request.method == name_of(BaselineKind::KernelSight);
  return kernelsight ? train_kernelsight_file(request, dataset, catalog)
                     : train_pipeweave_file(request, dataset, catalog);
}

}  // namespace warploom
