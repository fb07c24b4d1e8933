#include "warploom/app/data/train_method.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "warploom/app/data/predictor_folder.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/statistics.h"
#include "warploom/baselines/method_file.h"
#include "warploom/baselines/pipeweave/train_pipeweave.h"
#include "warploom/kernels/roofline.h"
#include "warploom/measurements/splits.h"

namespace warploom {
namespace {

using baselines::PipeWeaveModel;
using published::PublishedKernel;

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

std::map<PublishedKernel, HeldOutErrors> judge_kernels(const PipeWeaveModel& model, const Dataset& dataset,
                                                       const std::vector<std::uint32_t>& rows,
                                                       const GpuCatalog& catalog) {
  std::map<PublishedKernel, HeldOutErrors> errors;
  const RooflineModel roofline;
  for (const std::uint32_t row : rows) {
    const Operator& op = dataset.op(row);
    const GpuSpec& gpu = catalog.get(dataset.gpu(row));
    const KernelContext context = dataset.context(row);
    const auto choice = published::published_kernel(op, gpu, context);
    if (!choice.kernel || !model.kernels().contains(*choice.kernel)) continue;
    try {
      const LatencyEstimate said = model.estimate(op, gpu, context);
      HeldOutErrors& of_kernel = errors[*choice.kernel];
      const Seconds measured = dataset.latency(row);
      of_kernel.latency.add(said.p50, said.p10, said.p90, roofline.estimate(op, gpu).p50, measured);
      of_kernel.efficiency.push_back(std::abs(measured / said.p50 - 1));
    } catch (const Unsupported&) {
      continue;  // sizes that the method has no tile for
    }
  }
  return errors;
}

}  // namespace

void check_method(const MethodRequest& request) {
  if (request.method != "pipeweave")
    throw InvalidInput(fmt::format("method: '{}' is unknown, expected pipeweave", request.method));
  if (std::filesystem::is_directory(request.output))
    throw InvalidInput(
        fmt::format("output: {} is a folder, expected a file for the method", request.output.string()));
  check_output_folder(std::filesystem::absolute(request.output).parent_path());
}

std::vector<MethodTraining> train_method(const MethodRequest& request, const Dataset& dataset,
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
  write_file_atomically(request.output, method_to_bytes(model, {.data_hash = rows.hash,
                                                                .seed = request.seed,
                                                                .rows = std::uint64_t(rows.learned.size())}));
  std::map<PublishedKernel, HeldOutErrors> errors = judge_kernels(model, dataset, rows.held_out, catalog);
  std::vector<MethodTraining> result;
  for (const auto& [kernel, learned] : model.kernels())
    result.push_back({.kernel = std::string(name_of(kernel)),
                      .rows_learned = learned.rows,
                      .gpus = learned.gpus,
                      .held_out = errors[kernel].latency.summary(),
                      .efficiency_mean_error = mean(errors[kernel].efficiency)});
  return result;
}

}  // namespace warploom
