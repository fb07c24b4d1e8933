#include "warploom/predictor/training/train_new_layers.h"

#include <algorithm>
#include <set>

#include "warploom/base/hash.h"
#include "warploom/learning/symmetric_boosting.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom/measurements/splits.h"
#include "warploom/predictor/training/interval_fit.h"

namespace warploom {
namespace {

constexpr std::size_t kFewestLayers = 10;
constexpr std::size_t kRows = 150000;     // learned from
constexpr std::size_t kFoldRows = 30000;  // of them for the folds that set the intervals
constexpr std::uint32_t kFolds = 5;

// Chosen with whole layers left out on H200, B200 and L40S: insensitive, but for the bound, without which
// the mean error is a third larger.
SymmetricOptions settings(std::uint64_t seed) {
  SymmetricOptions o;
  o.trees = 340;
  o.depth = 8;
  o.eta = 0.2;
  o.bound = 2.5;
  o.seed = seed + 61;
  return o;
}

struct Rows {
  std::size_t columns = 0;
  std::vector<std::uint8_t> slots;  // of the columns in a row with context
  std::vector<float> features, targets;
};

// Columns without sizes and without the GPU's own constants, with the context's.
Rows matrix_of(const FamilyJob& job, const TrainingTable& table, std::span<const std::uint32_t> which,
               std::span<const float> offsets) {
  Rows rows;
  for (std::size_t c = 0; c + kGpuFeatures < table.columns; ++c)
    if ((table.layer_slots >> c & 1) == 0) rows.slots.push_back(std::uint8_t(c));
  const std::size_t of_row = rows.slots.size();
  for (std::size_t c = 0; c < kContextFeatures; ++c) rows.slots.push_back(std::uint8_t(table.columns + c));
  rows.columns = rows.slots.size();
  rows.features.reserve(which.size() * rows.columns);
  for (const std::uint32_t r : which) {
    const std::uint32_t cell = table.cell[r];
    const std::span<const float> features = table.row(r);
    for (std::size_t c = 0; c < of_row; ++c) rows.features.push_back(features[rows.slots[c]]);
    const ContextCodes& codes = job.codes[job.model.cells[cell].context];
    rows.features.insert(rows.features.end(), {codes.framework, codes.kernel, offsets[cell]});
    rows.targets.push_back(table.target[r] - offsets[cell]);
  }
  return rows;
}

SymmetricTrees learn(const FamilyJob& job, const TrainingTable& table, std::span<const std::uint32_t> which,
                     std::span<const float> offsets) {
  const Rows rows = matrix_of(job, table, which, offsets);
  SymmetricTrees trees =
      boost_symmetric(rows.features, rows.columns, rows.targets, settings(job.options.seed));
  for (std::uint8_t& slot : trees.slots) slot = rows.slots[slot];
  return trees;
}

// At most about `most` rows of a table, those timed eagerly left out.
std::vector<std::uint32_t> draw(const FamilyJob& job, const TrainingTable& table, std::size_t most) {
  std::vector<std::uint32_t> drawn;
  const double share = double(most) / double(std::max<std::size_t>(table.rows(), 1));
  for (std::uint32_t r = 0; r < table.rows(); ++r)
    if (!job.model.cells[table.cell[r]].launch_bound &&
        double(hash_combine(hash_combine(job.options.seed + 67, table.shape[r]), r) >> 11) * 0x1p-53 < share)
      drawn.push_back(r);
  return drawn;
}

std::vector<float> own_offsets(const FamilyJob& job) {
  std::vector<float> offsets;
  for (std::size_t c = 0; c < job.measured_cells; ++c) offsets.push_back(job.model.cells[c].offset);
  return offsets;
}

// Means of the cells' targets over some rows; a cell without such rows is marked.
std::vector<float> offsets_of(const FamilyJob& job, const TrainingTable& table,
                              std::span<const std::uint32_t> rows, std::vector<bool>& known) {
  std::vector<double> sums(job.measured_cells, 0), counts(job.measured_cells, 0);
  for (const std::uint32_t r : rows) {
    sums[table.cell[r]] += double(table.target[r]);
    ++counts[table.cell[r]];
  }
  std::vector<float> offsets;
  known.assign(job.measured_cells, false);
  for (std::size_t c = 0; c < job.measured_cells; ++c) {
    known[c] = counts[c] > 0;
    offsets.push_back(known[c] ? float(sums[c] / counts[c]) : 0.0F);
  }
  return offsets;
}

// Residuals of layers that were left out, into the cells' intervals.
void fit_intervals(FamilyJob& job, const TrainingTable& table, std::uint16_t gpu) {
  const std::vector<std::uint32_t> rows = draw(job, table, kFoldRows);
  BucketResiduals of_gpu;
  std::vector<BucketResiduals> of_cell(job.measured_cells);
  OperatorFeatures row;
  for (std::uint32_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::uint32_t> learned, test;
    for (const std::uint32_t r : rows)
      (shape_fold(table.layer[r], kFolds, job.options.seed + 71) == fold ? test : learned).push_back(r);
    if (learned.empty() || test.empty()) continue;
    std::vector<bool> known;
    const std::vector<float> offsets = offsets_of(job, table, learned, known);
    const SymmetricEnsemble trees(learn(job, table, learned, offsets));
    for (const std::uint32_t r : test) {
      const std::uint32_t cell = table.cell[r];
      if (!known[cell]) continue;
      fill_row(table, r, job.codes[job.model.cells[cell].context], offsets[cell], row);
      const double left = double(table.target[r] - offsets[cell]) - trees.predict(row);
      of_gpu.add(double(table.log_base[r]), left);
      of_cell[cell].add(double(table.log_base[r]), left);
    }
  }
  LogInterval wide;
  wide.low.fill(-0.3F);
  wide.high.fill(0.3F);
  const LogInterval common = fit_interval(of_gpu, wide);
  for (std::size_t c = 0; c < job.measured_cells; ++c)
    if (job.model.cells[c].gpu == gpu)
      job.model.cells[c].interval_new_layer = fit_interval(of_cell[c], common);
}

}  // namespace

void list_layers(FamilyJob& job, const std::vector<TrainingTable>& tables) {
  std::vector<std::set<std::uint32_t>> layers(job.measured_cells);
  for (const TrainingTable& table : tables)
    for (std::size_t r = 0; r < table.rows(); ++r)
      if (table.layer[r] != 0) layers[table.cell[r]].insert(table.layer[r]);
  for (std::size_t c = 0; c < job.measured_cells; ++c)
    job.model.cells[c].layers.assign(layers[c].begin(), layers[c].end());
}

void train_new_layers(FamilyJob& job, const TrainingTable& table, std::uint16_t gpu, EnsembleRecord& record) {
  const std::set<std::uint32_t> layers(table.layer.begin(), table.layer.end());
  if (layers.size() < kFewestLayers) return;
  fit_intervals(job, table, gpu);
  record.layer_trees =
      encode_symmetric(learn(job, table, draw(job, table, kRows), own_offsets(job)), LeafLayout::Reachable);
}

}  // namespace warploom
