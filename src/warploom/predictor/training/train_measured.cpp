#include "warploom/predictor/training/train_measured.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "warploom/base/version.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/learning/symmetric_boosting.h"
#include "warploom/measurements/splits.h"
#include "warploom/predictor/answer/measured_estimate.h"
#include "warploom/predictor/features/feature_source.h"
#include "warploom/predictor/model/cell_trees.h"
#include "warploom/predictor/training/interval_fit.h"
#include "warploom/predictor/training/train_small_cells.h"

namespace warploom {
namespace {

constexpr std::size_t kFewShapes = 300;  // of a GPU and family, under which intervals are cross-validated
constexpr std::uint32_t kFolds = 5;
// For those: rows of one shape err together, so few shapes understate the spread.
constexpr double kTailOfFew = 0.07, kTail = 0.1;

SymmetricOptions trees_of(Family family, std::uint64_t seed) {
  SymmetricOptions options = feature_source(default_operator(family)).trees;
  options.seed = seed;
  return options;
}

// Versions that a newer one with more rows follows are seldom asked for, and have few rows for many trees.
constexpr double kOutdatedTrees = 0.4, kOutdatedRows = 2;

bool is_outdated(const FamilyJob& job, std::uint32_t cell) {
  const CellRecord& own = job.model.cells[cell];
  const ContextRecord& context = job.model.contexts[own.context];
  for (std::size_t c = 0; c < job.measured_cells; ++c) {
    const CellRecord& other = job.model.cells[c];
    const ContextRecord& beside = job.model.contexts[other.context];
    if (other.gpu == own.gpu && other.kind == own.kind && beside.framework == context.framework &&
        double(other.rows) >= kOutdatedRows * double(own.rows) &&
        compare_versions(beside.version, context.version) > 0)
      return true;
  }
  return false;
}

SymmetricOptions settings_of(const FamilyJob& job, std::uint32_t cell, SymmetricOptions settings) {
  if (is_outdated(job, cell)) settings.trees = int(kOutdatedTrees * settings.trees);
  return settings;
}

struct Judged {
  std::vector<std::uint32_t> cell;
  std::vector<double> residual, log_base;  // ln(measured / predicted)
};

void judge_rows(const FamilyJob& job, const LoadedFamily& family, std::span<const std::uint32_t> rows,
                Judged& judged) {
  const TrainingTable table = job.table(rows, fitted_base(job.model));
  OperatorFeatures row;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::uint32_t cell = table.cell[r];
    take_features(table, r, row);
    const double answer = measured_estimate(family, family.model.cells[cell], row).log_p50;
    judged.cell.push_back(cell);
    judged.residual.push_back(double(table.target[r] + table.log_base[r]) - answer);
    judged.log_base.push_back(double(table.log_base[r]));
  }
}

Judged judge(const FamilyJob& job, const LoadedFamily& family, Part part, int gpu) {
  Judged judged;
  if (family.by_gpu[std::size_t(gpu)] >= 0) judge_rows(job, family, job.rows_of(part, gpu), judged);
  return judged;
}

// Residuals of Learn rows of GPUs with few shapes, whose Calibrate shapes are too few to stand for all: each
// fold of shapes is predicted by trees that learned the others.
std::vector<Judged> cross_validate(const FamilyJob& job) {
  const std::size_t gpus = job.model.gpus.size();
  std::vector<Judged> judged(gpus);
  std::vector<float> offsets;
  for (std::size_t c = 0; c < job.measured_cells; ++c) offsets.push_back(job.model.cells[c].offset);
  for (std::size_t g = 0; g < gpus; ++g) {
    const std::vector<std::uint32_t> rows = job.rows_of(Part::Learn, int(g));
    std::set<std::uint64_t> shapes;
    for (const std::uint32_t r : rows) shapes.insert(job.rows.shape[r]);
    if (job.model.gpus[g].adapted || job.model.ensembles[g].trees.empty() || shapes.size() > kFewShapes)
      continue;
    for (std::uint32_t fold = 0; fold < kFolds; ++fold) {
      std::vector<std::uint32_t> learn, test;
      for (const std::uint32_t r : rows)
        (shape_fold(job.rows.shape[r], kFolds, job.options.seed + 43) == fold ? test : learn).push_back(r);
      if (learn.empty() || test.empty()) continue;
      FamilyModel without = job.model;
      without.ensembles = {
          train_gpu(job, job.table(learn, fitted_base(job.model)), std::uint16_t(g), offsets)};
      judge_rows(job, LoadedFamily(std::move(without), job.catalog), test, judged[g]);
    }
  }
  return judged;
}

void fit_intervals(FamilyJob& job, const LoadedFamily& family) {
  LogInterval wide;
  wide.low.fill(-0.15F);
  wide.high.fill(0.15F);
  std::vector<BucketResiduals> of_cell(job.measured_cells);
  std::vector<LogInterval> of_gpu(job.model.gpus.size(), wide);
  const std::vector<Judged> few = cross_validate(job);
  for (std::size_t g = 0; g < of_gpu.size(); ++g) {
    BucketResiduals together;
    for (const Judged& judged : {judge(job, family, Part::Calibrate, int(g)), few[g]})
      for (std::size_t i = 0; i < judged.cell.size(); ++i) {
        together.add(judged.log_base[i], judged.residual[i]);
        of_cell[judged.cell[i]].add(judged.log_base[i], judged.residual[i]);
      }
    of_gpu[g] = fit_interval(together, wide, few[g].cell.empty() ? kTail : kTailOfFew);
  }
  for (std::size_t c = 0; c < job.measured_cells; ++c) {
    CellRecord& cell = job.model.cells[c];
    cell.interval =
        fit_interval(of_cell[c], of_gpu[cell.gpu], few[cell.gpu].cell.empty() ? kTail : kTailOfFew);
  }
}

void report_held_out(FamilyJob& job, const LoadedFamily& family) {
  std::vector<double> all;
  std::size_t all_inside = 0;
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g) {
    std::vector<double> errors;
    std::size_t inside = 0;
    const Judged judged = judge(job, family, Part::HoldOut, int(g));
    for (std::size_t i = 0; i < judged.cell.size(); ++i) {
      const LogInterval& interval = job.model.cells[judged.cell[i]].interval;
      const std::size_t b = bucket_of(judged.log_base[i]);
      const double residual = judged.residual[i];
      inside += std::size_t(residual >= double(interval.low[b]) && residual <= double(interval.high[b]));
      errors.push_back(std::abs(std::expm1(-residual)));
    }
    all.insert(all.end(), errors.begin(), errors.end());
    all_inside += inside;
    job.report.held_out_by_gpu[job.model.gpus[g].name] = figures_of(std::move(errors), inside);
  }
  job.report.held_out = figures_of(std::move(all), all_inside);
}

}  // namespace

EnsembleRecord train_gpu(const FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu,
                         std::span<const float> offsets) {
  EnsembleRecord record = with_ranges(learn, gpu);
  // Features of the GPU are the same in all.
  const std::size_t columns = learn.columns - std::min(learn.columns, std::size_t(kGpuFeatures));
  std::map<std::uint32_t, CellRows> cells;  // by the cell whose trees they make
  std::set<std::uint32_t> taught;
  for (std::uint32_t r = 0; r < learn.rows(); ++r) {
    taught.insert(learn.cell[r]);
    CellRows& cell = cells[job.leader_of(learn.cell[r])];
    const std::span<const float> features = learn.row(r).first(columns);
    cell.rows.push_back(r);
    cell.features.insert(cell.features.end(), features.begin(), features.end());
    cell.targets.push_back(learn.target[r] - offsets[learn.cell[r]]);
  }
  const SymmetricOptions settings =
      job.options.cell_trees.value_or(trees_of(job.model.family, job.options.seed));
  std::map<std::uint32_t, SymmetricTrees> learned;
  // For other families it gained nothing for its bytes.
  const bool fills = job.model.family == Family::Gemm;
  for (const auto& [cell, rows] : cells)
    if (!fills || !has_similar_cell(job, cells, cell))
      learned[cell] = boost_symmetric(rows.features, columns, rows.targets, settings_of(job, cell, settings));
  const auto filled = fills ? fill_small_cells(job, learn, cells, offsets, columns, settings, learned)
                            : std::map<std::uint32_t, CellRows>{};
  std::map<std::uint32_t, std::string> encoded;
  for (const auto& [cell, rows] : cells) {
    if (!learned.contains(cell)) {
      const auto at = filled.find(cell);
      const CellRows& from = at != filled.end() ? at->second : rows;
      learned[cell] = boost_symmetric(from.features, columns, from.targets, settings_of(job, cell, settings));
    }
    encoded[cell] = encode_symmetric(learned[cell], LeafLayout::Reachable);
  }
  std::vector<CellTrees> trees;
  for (const std::uint32_t cell : taught) trees.push_back({cell, encoded.at(job.leader_of(cell))});
  if (!trees.empty()) record.trees = join_cell_trees(trees);
  return record;
}

void finish_measured(FamilyJob& job) {
  const LoadedFamily family(job.model, job.catalog);
  fit_intervals(job, family);
  report_held_out(job, family);
}

}  // namespace warploom
