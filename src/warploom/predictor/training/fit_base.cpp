#include "warploom/predictor/training/fit_base.h"

#include <cmath>
#include <map>
#include <tuple>

#include "warploom/base/version.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/training/class_overheads.h"
#include "warploom/predictor/training/constants_fit.h"

namespace warploom {
namespace {

// Prior of the level of one framework, kernel and kind where the base is to set it, in ln.
constexpr double kOffsetSigma = 0.15;

// Weight of the priors, in rows, where they describe kernels on unknown GPUs better than the details of a few
// measured GPUs do.
constexpr double kFirmPriorRows = 40;

// Constants and overheads explain the same floors: each is fitted with the other held, in turn.
constexpr int kRounds = 2;

// Overheads are cheap to fit, and each class and GPU needs rows of its own.
constexpr std::size_t kOverheadRows = 4;  // times those of the constants

// Cells of attention whose GPU has a newer version of the same library. The newer rows describe the kernel
// better, and some of the older ones were measured on throttled GPUs.
std::vector<bool> outdated_cells(const FamilyModel& model) {
  std::vector<bool> outdated(model.cells.size(), false);
  if (model.family != Family::AttentionPrefill && model.family != Family::AttentionDecode) return outdated;
  const auto version = [&](const CellRecord& cell) -> const std::string& {
    return model.contexts[cell.context].version;
  };
  std::map<std::tuple<std::uint16_t, std::uint16_t, std::string>, std::string> newest;
  const auto library = [&](const CellRecord& cell) {
    return std::tuple(cell.gpu, cell.kind, model.contexts[cell.context].framework);
  };
  for (const CellRecord& cell : model.cells) {
    std::string& most = newest[library(cell)];
    if (compare_versions(version(cell), most) > 0) most = version(cell);
  }
  for (std::size_t c = 0; c < model.cells.size(); ++c)
    outdated[c] = compare_versions(version(model.cells[c]), newest[library(model.cells[c])]) < 0;
  return outdated;
}

std::vector<std::uint32_t> chosen_rows(const FamilyJob& job, const std::vector<bool>& of_gpus,
                                       std::size_t per_gpu) {
  const std::vector<bool> outdated = outdated_cells(job.model);
  return thin_by_gpu(rows_where(job.rows,
                                [&](std::uint32_t r) {
                                  return job.rows.part[r] == Part::Learn && !outdated[job.rows.cell[r]] &&
                                         of_gpus[std::size_t(job.gpu_of(r))] &&
                                         !job.model.cells[job.rows.cell[r]].launch_bound;
                                }),
                     job, per_gpu, job.options.seed + 29);
}

// A kernel whose structure is known exactly has no overhead to guess.
void fit_overheads(const FamilyJob& job, std::span<const std::uint32_t> chosen,
                   const BaseConstants& constants, FittedBase& base) {
  std::vector<const GpuSpec*> specs;
  for (const GpuRecord& gpu : job.model.gpus) specs.push_back(&job.catalog.get(gpu.name));
  std::vector<OverheadRow> priced;
  OperatorFeatures features;
  const auto known = [&](const CellRecord& cell) {
    return known_kernel(job.model.contexts[cell.context].kernel) != KnownKernel::None;
  };
  for (const std::uint32_t r : chosen) {
    const CellRecord& cell = job.model.cells[job.rows.cell[r]];
    if (known(cell)) continue;
    const std::uint32_t source = job.rows.source[r];
    compute_features(job.dataset.op(source), *specs[cell.gpu], constants, features);
    priced.push_back(
        {job.rows.cell[r], std::exp(features.log_base), job.dataset.latency(source).value(), features.rows});
  }
  base.overheads = class_overheads(job.model, priced);
  for (std::size_t c = 0; c < base.overheads.size(); ++c)
    if (known(job.model.cells[c])) base.overheads[c] = {};
}

}  // namespace

BaseConstants fit_constants_of(const FamilyJob& job, const std::vector<bool>& of_gpus,
                               const BaseConstants& prior, std::span<const Overhead> overheads) {
  const auto chosen = chosen_rows(job, of_gpus, job.options.fit_rows_per_gpu);
  std::vector<const GpuSpec*> specs;
  for (const GpuRecord& gpu : job.model.gpus) specs.push_back(&job.catalog.get(gpu.name));
  std::map<std::tuple<std::string, std::string, std::uint16_t>, std::uint32_t> groups;
  std::vector<ConstantsFitRow> rows;
  for (const std::uint32_t r : chosen) {
    const CellRecord& cell = job.model.cells[job.rows.cell[r]];
    const ContextRecord& context = job.model.contexts[cell.context];
    const auto group =
        groups.try_emplace({context.framework, context.kernel, cell.kind}, std::uint32_t(groups.size()));
    const std::uint32_t source = job.rows.source[r];
    const std::uint32_t c = job.rows.cell[r];
    rows.push_back({&job.dataset.op(source), specs[cell.gpu], std::log(job.dataset.latency(source).value()),
                    group.first->second, 1.0,
                    ContextKernel({context.framework, context.version, context.kernel}),
                    c < overheads.size() ? overheads[c] : Overhead{}});
  }
  ConstantsFitOptions options;
  if (base_sets_the_level(job.model.family)) options.offset_sigma = kOffsetSigma;
  if (job.model.family == Family::Gemm || job.model.family == Family::AttentionDecode ||
      job.model.family == Family::Moe)
    options.prior_rows = kFirmPriorRows;
  return fit_constants(job.model.family, rows, prior, options);
}

FittedBase fit_base(const FamilyJob& job, const std::vector<bool>& of_gpus) {
  const BaseConstants& prior = default_constants(job.model.family);
  ConstantsRecord any;
  any.values = prior;
  FittedBase base;
  base.overheads.resize(job.model.cells.size());
  // Products alone have rows that overheads count.
  if (job.model.family != Family::Gemm) {
    any.values = fit_constants_of(job, of_gpus, prior, {});
    base.constants = {any};
    return base;
  }
  const auto many = chosen_rows(job, of_gpus, kOverheadRows * job.options.fit_rows_per_gpu);
  for (int round = 0; round < kRounds; ++round) {
    fit_overheads(job, many, any.values, base);
    any.values = fit_constants_of(job, of_gpus, prior, base.overheads);
  }
  fit_overheads(job, many, any.values, base);
  base.constants = {any};
  return base;
}

}  // namespace warploom
