#include "warploom/predictor/training/train_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_set>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/parallel.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/tables/table_correction.h"
#include "warploom/predictor/training/correction_fit.h"
#include "warploom/predictor/training/family_job.h"
#include "warploom/predictor/training/interval_fit.h"

namespace warploom {
namespace {

// Small families learn one correction over all GPUs: MLA decode 4.3 / 1.8 % with one each, 4.1 / 1.75 % so.
constexpr std::size_t kPooledRows = 120000;
constexpr std::size_t kJudgedRows = 40000;  // of each GPU, for intervals and for the report

// Every measured row but those of test shapes. A point that some test row lies on is left out too: fp16 and
// bf16 share a cell though their shapes differ.
ResidualTable make_residuals(const FamilyJob& job) {
  std::vector<ResidualTable::Entry> entries;
  std::unordered_set<std::uint64_t> tested;
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g) {
    const TrainingTable table = job.table(
        rows_where(
            job.rows,
            [&](std::uint32_t r) { return job.gpu_of(r) == int(g) && job.rows.part[r] != Part::HoldOut; }),
        fitted_base(job.model));
    for (std::size_t r = 0; r < table.rows(); ++r)
      entries.push_back({table.cell[r], grid_point(job.dataset.op(table.source[r])), table.target[r]});
  }
  for (std::uint32_t r = 0; r < job.rows.size(); ++r)
    if (job.rows.part[r] == Part::HoldOut)
      tested.insert(PointKey(job.rows.cell[r], grid_point(job.dataset.op(job.rows.source[r]))).hash());
  std::erase_if(entries, [&](const ResidualTable::Entry& entry) {
    return tested.contains(PointKey(entry.cell, entry.point).hash());
  });
  return ResidualTable(entries, std::uint32_t(job.measured_cells));
}

// ln(measured / predicted) of rows that the correction did not learn from.
struct Judged {
  std::vector<double> residual, log_base;
  std::vector<std::uint32_t> cell;
  std::size_t asked = 0;
};

Judged judge(const FamilyJob& job, const TableCorrection& correction, Part part, int gpu) {
  const auto chosen =
      thin(job.rows_of(part, gpu), job.rows, kJudgedRows, job.options.seed + (part == Part::HoldOut));
  const TrainingTable table = job.table(chosen, fitted_base(job.model));
  Judged judged;
  judged.asked = table.rows();
  OperatorFeatures row;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::uint32_t c = table.cell[r];
    const CellRecord& cell = job.model.cells[c];
    take_features(table, r, row);
    const auto answer = correction.residual_from_neighbours(
        job.model.family, grid_point(job.dataset.op(table.source[r])), c, cell, job.codes[cell.context], row);
    if (!answer) continue;
    judged.residual.push_back(double(table.target[r]) - *answer);
    judged.log_base.push_back(double(table.log_base[r]));
    judged.cell.push_back(c);
  }
  return judged;
}

std::vector<LogInterval> fit_intervals(const FamilyJob& job, const std::vector<Judged>& by_gpu) {
  LogInterval wide;
  wide.low.fill(-0.15F);
  wide.high.fill(0.15F);
  std::vector<BucketResiduals> of_gpu(by_gpu.size()), of_cell(job.measured_cells);
  for (std::size_t g = 0; g < by_gpu.size(); ++g)
    for (std::size_t i = 0; i < by_gpu[g].residual.size(); ++i) {
      of_gpu[g].add(by_gpu[g].log_base[i], by_gpu[g].residual[i]);
      of_cell[by_gpu[g].cell[i]].add(by_gpu[g].log_base[i], by_gpu[g].residual[i]);
    }
  std::vector<LogInterval> intervals;
  for (std::size_t c = 0; c < job.measured_cells; ++c)
    intervals.push_back(fit_interval(of_cell[c], fit_interval(of_gpu[job.model.cells[c].gpu], wide)));
  return intervals;
}

void report_held_out(const std::vector<Judged>& by_gpu, const std::vector<LogInterval>& intervals,
                     TablesTraining& report) {
  std::vector<double> errors;
  std::size_t inside = 0, asked = 0;
  for (const Judged& judged : by_gpu) {
    asked += judged.asked;
    for (std::size_t i = 0; i < judged.residual.size(); ++i) {
      const LogInterval& interval = intervals[judged.cell[i]];
      const std::size_t b = bucket_of(judged.log_base[i]);
      inside += std::size_t(judged.residual[i] >= double(interval.low[b]) &&
                            judged.residual[i] <= double(interval.high[b]));
      errors.push_back(std::abs(std::expm1(-judged.residual[i])));
    }
  }
  report.answered = asked == 0 ? 0 : double(errors.size()) / double(asked);
  report.held_out = figures_of(std::move(errors), inside);
}

// The job of train_predictor again, with the model's offsets.
FamilyJob job_of(const Dataset& dataset, const GpuCatalog& catalog, const TrainingOptions& options,
                 const FamilyModel& model) {
  FamilyModel chosen;
  chosen.family = model.family;
  FamilyJob job{dataset, catalog, options, {}, {}, {}, {}, 0};
  job.rows = choose_rows(dataset, catalog, model.family, options, chosen);
  job.measured_cells = chosen.cells.size();
  if (chosen.gpus.size() != model.gpus.size() || chosen.cells.size() > model.cells.size())
    throw InvalidInput(
        fmt::format("tables of {}: the model was trained on other data", name_of(model.family)));
  job.model = model;
  for (EnsembleRecord& ensemble : job.model.ensembles) ensemble.trees.clear();
  job.codes = context_codes(job.model);
  return job;
}

}  // namespace

TablesResult train_tables(const Dataset& dataset, const GpuCatalog& catalog, const TrainingOptions& options,
                          const FamilyModel& model) {
  const auto start = std::chrono::steady_clock::now();
  const FamilyJob job = job_of(dataset, catalog, options, model);
  const std::size_t gpus = model.gpus.size();
  FamilyTables tables;
  tables.family = model.family;
  tables.created_by = options.created_by;
  tables.model_hash = hash_bytes(model_to_bytes(model));
  tables.residuals = make_residuals(job);
  const bool pooled = job.rows_of(Part::Learn, -1).size() <= kPooledRows;
  tables.corrections.resize(pooled ? 1 : gpus);
  parallel_for(tables.corrections.size(), std::size_t(options.threads), [&](std::size_t which) {
    tables.corrections[which] = fit_correction(job, tables.residuals, pooled ? -1 : int(which));
  });
  TableCorrection correction(std::move(tables));
  std::vector<Judged> calibrate(gpus), held_out(gpus);
  parallel_for(2 * gpus, std::size_t(options.threads), [&](std::size_t task) {
    const std::size_t g = task / 2;
    if (task % 2 == 0)
      calibrate[g] = judge(job, correction, Part::Calibrate, int(g));
    else
      held_out[g] = judge(job, correction, Part::HoldOut, int(g));
  });
  TablesResult result;
  result.tables = correction.tables();
  result.tables.intervals = fit_intervals(job, calibrate);
  result.report.family = model.family;
  result.report.rows = result.tables.residuals.size();
  report_held_out(held_out, result.tables.intervals, result.report);
  result.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace warploom
