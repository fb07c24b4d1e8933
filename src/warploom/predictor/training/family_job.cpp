#include "warploom/predictor/training/family_job.h"

#include <algorithm>
#include <numeric>

#include "warploom/base/hash.h"
#include "warploom/base/statistics.h"
#include "warploom/measurements/splits.h"

namespace warploom {

std::vector<std::uint32_t> FamilyJob::rows_of(Part part, int gpu) const {
  return rows_where(rows,
                    [&](std::uint32_t r) { return rows.part[r] == part && (gpu < 0 || gpu_of(r) == gpu); });
}

std::vector<std::uint32_t> FamilyJob::rows_on(Part part, const std::vector<bool>& of_gpus) const {
  return rows_where(rows,
                    [&](std::uint32_t r) { return rows.part[r] == part && of_gpus[std::size_t(gpu_of(r))]; });
}

namespace {

std::vector<std::uint32_t> thin_groups(const std::vector<std::uint32_t>& chosen, const TrainingRows& rows,
                                       const RowGroup& group, std::size_t groups, std::size_t most,
                                       std::uint64_t seed) {
  return thin_by_group(
      chosen, group, count_by_group(chosen, group, groups),
      [&](std::uint32_t r) { return hash_position(hash_combine(hash_combine(seed, rows.shape[r]), r)); },
      most);
}

}  // namespace

std::vector<std::uint32_t> thin(const std::vector<std::uint32_t>& chosen, const TrainingRows& rows,
                                std::size_t most, std::uint64_t seed) {
  return thin_groups(
      chosen, rows, [](std::uint32_t) { return 0U; }, 1, most, seed);
}

std::vector<std::uint32_t> thin_by_gpu(const std::vector<std::uint32_t>& chosen, const FamilyJob& job,
                                       std::size_t most, std::uint64_t seed) {
  return thin_groups(
      chosen, job.rows, [&](std::uint32_t r) { return std::size_t(job.gpu_of(r)); }, job.model.gpus.size(),
      most, seed);
}

std::string learn_trees(const FamilyJob& job, const TrainingTable& table,
                        std::span<const std::uint32_t> which, std::span<const float> offsets,
                        const BoostingOptions& boosting) {
  std::vector<std::uint32_t> all;
  if (which.empty()) {
    all.resize(table.rows());
    std::iota(all.begin(), all.end(), 0U);
    which = all;
  }
  const LearningSet set = make_learning_set(table, which, job.codes, job.model, offsets);
  return encode_trees(boost_trees(set.rows, table.columns + kContextFeatures, set.targets, boosting));
}

double tree_answer(const FamilyJob& job, const TreeEnsemble& trees, const TrainingTable& table, std::size_t r,
                   std::span<const float> offsets) {
  OperatorFeatures row;
  const std::uint32_t cell = table.cell[r];
  fill_row(table, r, job.codes[job.model.cells[cell].context], offsets[cell], row);
  return double(trees.predict(row));
}

EnsembleRecord with_ranges(const TrainingTable& table, std::uint16_t gpu) {
  EnsembleRecord record;
  record.gpu = gpu;
  record.low.assign(table.columns, std::numeric_limits<float>::max());
  record.high.assign(table.columns, std::numeric_limits<float>::lowest());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::span<const float> row = table.row(r);
    for (std::size_t f = 0; f < row.size(); ++f) {
      record.low[f] = std::min(record.low[f], row[f]);
      record.high[f] = std::max(record.high[f], row[f]);
    }
  }
  for (std::size_t f = 0; f < table.columns; ++f) {
    const float slack = 0.02F * (record.high[f] - record.low[f]) + 1e-4F;
    record.low[f] -= slack;
    record.high[f] += slack;
  }
  // The GPU's own features are constants of a measured ensemble and tell nothing about the operator.
  if (gpu == CellRecord::kAnyGpu)
    for (std::size_t f = table.columns - kGpuFeatures; f < table.columns; ++f) {
      record.low[f] = std::numeric_limits<float>::lowest();
      record.high[f] = std::numeric_limits<float>::max();
    }
  return record;
}

ErrorFigures figures_of(std::vector<double> errors, std::size_t inside) {
  ErrorFigures f;
  f.rows = errors.size();
  if (errors.empty()) return f;
  f.mean = mean(errors);
  f.coverage = double(inside) / double(errors.size());
  std::sort(errors.begin(), errors.end());
  f.median = quantile_of_sorted(errors, 0.5);
  f.p90 = quantile_of_sorted(errors, 0.9);
  return f;
}

}  // namespace warploom
