#include "warploom/predictor/training/calibrate.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/learning/symmetric_trees.h"
#include "warploom/predictor/model/cell_trees.h"
#include "warploom/predictor/training/extend_model.h"
#include "warploom/predictor/training/family_job.h"
#include "warploom/predictor/training/train_measured.h"

namespace warploom {
namespace {

// A sweep has thousands of rows for each kernel, not hundreds of thousands: many trees with small leaves.
// Some rows were begun at a clock that others had pulled down, and the library's choice of tiles jumps:
// residuals far off count less. Chosen on held-out shapes of an H200's sweep (docs/decisions/0026).
SymmetricOptions settings_for_sweeps(std::uint64_t seed) {
  SymmetricOptions o;
  o.trees = int(kSymmetricTrees);
  o.depth = 8;
  o.eta = 0.2;
  o.lambda = 8;
  o.column_share = 0.85;
  o.bound = 2;
  o.seed = seed;
  return o;
}

// Trees of the sweep's cells join those of the GPU's other cells; the measured domain becomes that of both.
void join(EnsembleRecord& known, const EnsembleRecord& fresh, Family family) {
  std::vector<CellTrees> all;
  for (const std::string_view record : {std::string_view(known.trees), std::string_view(fresh.trees)})
    if (!record.empty())
      for (const CellTreesView& own : split_cell_trees(record, name_of(family)))
        all.push_back({own.cell, std::string(own.trees)});
  known.trees = join_cell_trees(all);
  if (known.low.empty()) {
    known.low = fresh.low;
    known.high = fresh.high;
  }
  for (std::size_t f = 0; f < known.low.size(); ++f) {
    known.low[f] = std::min(known.low[f], fresh.low[f]);
    known.high[f] = std::max(known.high[f], fresh.high[f]);
  }
}

// Offsets and trees of the sweep's cells, from these rows. `known` is what the GPU had before.
void learn_rows(FamilyJob& job, const ExtendedModel& extended, const EnsembleRecord& known,
                const std::vector<std::uint32_t>& rows) {
  const TrainingTable table = job.table(rows, fitted_base(job.model));
  const CellOffsets offsets = cell_offsets(table, job.measured_cells);
  for (const std::uint32_t c : extended.new_cell) job.model.cells[c].offset = offsets.offset[c];
  job.model.ensembles[extended.gpu] = known;
  join(job.model.ensembles[extended.gpu], train_gpu(job, table, extended.gpu, offsets.offset),
       job.model.family);
}

// Intervals of the sweep's cells and the report, on shapes that the fit did not see; every other cell stays.
void judge_cells(FamilyJob& job, const ExtendedModel& extended) {
  MeasuredFit fit = judge_measured(job);
  for (const std::uint32_t c : extended.new_cell) job.model.cells[c].interval = fit.intervals[c];
  job.report.held_out = fit.held_out;
  job.report.held_out_by_gpu = std::move(fit.held_out_by_gpu);
}

}  // namespace

std::optional<FamilyCalibration> calibrate_family(const Dataset& sweep, const GpuCatalog& catalog,
                                                  const TrainingOptions& options, Family family,
                                                  const FamilyModel* shipped) {
  if (sweep.rows_of(family).size() < kFewestRowsForTrees) return std::nullopt;
  TrainingOptions settings = options;
  settings.cell_trees = settings_for_sweeps(options.seed);
  if (shipped == nullptr) {
    TrainingOptions alone = settings;
    alone.families = {family};
    TrainingResult trained = train_predictor(sweep, catalog, alone);
    return FamilyCalibration{trained.models.at(0), trained.models.at(0), std::move(trained.report.at(0))};
  }
  FamilyModel of_sweep;
  FamilyJob job{sweep, catalog, settings, {}, {}, {}, {}, 0};
  job.rows = choose_rows(sweep, catalog, family, settings, of_sweep);
  ExtendedModel extended = extend_model(*shipped, of_sweep);
  for (std::uint32_t& cell : job.rows.cell) cell = extended.new_cell[cell];
  job.model = std::move(extended.model);
  job.model.created_by = options.created_by;
  job.measured_cells = extended.measured_cells;
  job.codes = context_codes(job.model);
  job.report.family = family;
  job.report.rows_learned = job.rows_of(Part::Learn, extended.gpu).size();
  const EnsembleRecord known = job.model.ensembles[extended.gpu];
  learn_rows(job, extended, known, job.rows_of(Part::Learn, extended.gpu));
  judge_cells(job, extended);
  FamilyModel judged = job.model;
  learn_rows(job, extended, known, rows_where(job.rows, [](std::uint32_t) { return true; }));
  return FamilyCalibration{std::move(job.model), std::move(judged), std::move(job.report)};
}

}  // namespace warploom
