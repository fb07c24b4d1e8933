#include "warploom/predictor/calibrate.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/predictor/cell_trees.h"
#include "warploom/predictor/extend_model.h"
#include "warploom/predictor/family_job.h"
#include "warploom/predictor/train_measured.h"

namespace warploom {
namespace {

// A sweep has thousands of rows for each kernel, not hundreds of thousands: slow learning of shallow trees.
SymmetricOptions settings_for_sweeps(std::uint64_t seed) {
  SymmetricOptions o;
  o.trees = 480;
  o.depth = 6;
  o.eta = 0.06;
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

// Offsets, trees and intervals of the sweep's cells; every other cell stays.
void learn_cells(FamilyJob& job, const ExtendedModel& extended) {
  const FittedBase base = fitted_base(job.model);
  const TrainingTable table = job.table(job.rows_of(Part::Learn, extended.gpu), base);
  const CellOffsets offsets = cell_offsets(table, job.measured_cells);
  for (const std::uint32_t c : extended.new_cell) job.model.cells[c].offset = offsets.offset[c];
  join(job.model.ensembles[extended.gpu], train_gpu(job, table, extended.gpu, offsets.offset),
       job.model.family);
  const std::vector<CellRecord> before = job.model.cells;
  finish_measured(job);
  for (std::size_t c = 0; c < before.size(); ++c)
    if (std::find(extended.new_cell.begin(), extended.new_cell.end(), std::uint32_t(c)) ==
        extended.new_cell.end())
      job.model.cells[c].interval = before[c].interval;
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
    return FamilyCalibration{std::move(trained.models.at(0)), std::move(trained.report.at(0))};
  }
  FamilyModel of_sweep;
  FamilyJob job{sweep, catalog, settings, {}, {}, {}, {}, 0};
  job.rows = choose_rows(sweep, catalog, family, settings, of_sweep);
  ExtendedModel extended = extend_model(*shipped, of_sweep);
  for (std::uint32_t& cell : job.rows.cell) cell = extended.new_cell[cell];
  job.model = std::move(extended.model);
  job.model.created_by = options.created_by;
  job.measured_cells = extended.measured_cells;
  job.codes = context_codes(job.model.contexts);
  job.report.family = family;
  job.report.rows_learned = job.rows_of(Part::Learn, extended.gpu).size();
  learn_cells(job, extended);
  return FamilyCalibration{std::move(job.model), std::move(job.report)};
}

}  // namespace warploom
