#include "warploom/predictor/training/train_small_cells.h"

#include <array>
#include <cmath>
#include <limits>

#include "warploom/base/hash.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom/measurements/splits.h"

namespace warploom {
namespace {

constexpr std::size_t kLarger = 2;                       // times its rows, that a similar cell has at least
constexpr std::size_t kFewest = 100;                     // rows under which nothing can be judged
constexpr std::size_t kBorrowed = 4;                     // times its rows, that a cell takes over at most
constexpr std::uint32_t kFolds = 5;                      // one of them judges
constexpr std::array<double, 3> kShares{0.0, 0.5, 1.0};  // weight of the similar cell's prediction

// Small trees: what two versions of a kernel differ by is little and smooth.
SymmetricOptions difference_settings(std::uint64_t seed) {
  SymmetricOptions o;
  o.trees = 160;
  o.depth = 6;
  o.eta = 0.1;
  o.lambda = 8;
  o.bound = 3;
  o.seed = seed + 83;
  return o;
}

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// The similar cell with most rows; kNone: there is none with enough.
std::uint32_t find_similar_cell(const FamilyJob& job, const std::map<std::uint32_t, CellRows>& cells,
                                std::uint32_t cell) {
  const auto context_of = [&](std::uint32_t c) -> const ContextRecord& {
    return job.model.contexts[job.model.cells[c].context];
  };
  const auto kernel_of = [&](std::uint32_t c) {
    const ContextRecord& at = context_of(c);
    return ContextKernel(KernelContext{at.framework, at.version, at.kernel});
  };
  const std::size_t own = cells.at(cell).targets.size();
  std::uint32_t best = kNone;
  std::size_t most = std::max(kLarger * own, kLarger * kFewest) - 1;
  for (const auto& [other, rows] : cells) {
    const CellRecord &a = job.model.cells[cell], &b = job.model.cells[other];
    if (other == cell || rows.targets.size() <= most || a.kind != b.kind ||
        a.launch_bound != b.launch_bound || context_of(other).framework != context_of(cell).framework ||
        !(kernel_of(other) == kernel_of(cell)))
      continue;
    best = other;
    most = rows.targets.size();
  }
  return best;
}

// The similar cell's prediction for a row of the table, as a target of the small cell less its offset.
class SimilarCellPredictor {
 public:
  SimilarCellPredictor(const FamilyJob& job, const TrainingTable& table, std::span<const float> offsets,
                       std::uint32_t cell, std::uint32_t similar, const SymmetricTrees& trees)
      : table_(table),
        own_(job.model.cells[cell].overhead),
        others_(job.model.cells[similar].overhead),
        offset_(double(offsets[similar]) - double(offsets[cell])),
        trees_(trees) {}

  double target(std::uint32_t r) {
    take_features(table_, r, row_);
    row_.log_base = double(table_.plain_base[r]);
    row_.rows = double(table_.result_rows[r]);
    return log_base_with(others_, row_) - log_base_with(own_, row_) + offset_ + trees_.predict(row_);
  }

 private:
  const TrainingTable& table_;
  Overhead own_, others_;
  double offset_;
  SymmetricEnsemble trees_;
  OperatorFeatures row_;
};

// Answers for the judged rows of a cell by trees that learned the values of the others; 0 for the others.
std::vector<double> predictions_of_judged(const CellRows& cell, std::size_t columns,
                                          std::span<const float> values, const std::vector<bool>& judged,
                                          const SymmetricOptions& settings) {
  std::vector<float> features, targets;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (judged[i]) continue;
    const auto from = cell.features.begin() + std::ptrdiff_t(i * columns);
    features.insert(features.end(), from, from + std::ptrdiff_t(columns));
    targets.push_back(values[i]);
  }
  std::vector<double> answers(values.size(), 0);
  if (targets.empty()) return answers;
  const SymmetricEnsemble trees(boost_symmetric(features, columns, targets, settings));
  OperatorFeatures row;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!judged[i]) continue;
    row.clear();
    for (std::size_t c = 0; c < columns; ++c) row.add(double(cell.features[i * columns + c]));
    answers[i] = trees.predict(row);
  }
  return answers;
}

// The cell's rows and, spread evenly, rows of the similar cell with what they should take here.
template <class Target>
CellRows filled(const TrainingTable& table, const CellRows& own, const CellRows& similar, std::size_t columns,
                std::uint64_t seed, const Target& target) {
  CellRows result = own;
  const double share = double(kBorrowed * own.targets.size()) / double(similar.targets.size());
  OperatorFeatures row;
  for (std::size_t i = 0; i < similar.rows.size(); ++i) {
    const std::uint32_t r = similar.rows[i];
    if (double(hash_combine(seed + 89, table.shape[r]) >> 11) * 0x1p-53 >= share) continue;
    const auto from = similar.features.begin() + std::ptrdiff_t(i * columns);
    result.features.insert(result.features.end(), from, from + std::ptrdiff_t(columns));
    take_features(table, r, row);
    result.targets.push_back(float(target(r, row)));
    result.rows.push_back(r);
  }
  return result;
}

}  // namespace

bool has_similar_cell(const FamilyJob& job, const std::map<std::uint32_t, CellRows>& cells,
                      std::uint32_t cell) {
  return cells.at(cell).targets.size() >= kFewest && find_similar_cell(job, cells, cell) != kNone;
}

std::map<std::uint32_t, CellRows> fill_small_cells(const FamilyJob& job, const TrainingTable& table,
                                                   const std::map<std::uint32_t, CellRows>& cells,
                                                   std::span<const float> offsets, std::size_t columns,
                                                   const SymmetricOptions& settings,
                                                   const std::map<std::uint32_t, SymmetricTrees>& trees) {
  std::map<std::uint32_t, CellRows> results;
  for (const auto& [cell, own] : cells) {
    if (!has_similar_cell(job, cells, cell)) continue;
    const std::uint32_t similar = find_similar_cell(job, cells, cell);
    const auto known = trees.find(similar);
    if (known == trees.end()) continue;  // the similar cell is small itself
    SimilarCellPredictor similar_cell(job, table, offsets, cell, similar, known->second);
    std::vector<float> predictions, differences;
    std::vector<bool> judged;
    for (std::size_t i = 0; i < own.rows.size(); ++i) {
      predictions.push_back(float(similar_cell.target(own.rows[i])));
      differences.push_back(own.targets[i] - predictions[i]);
      judged.push_back(shape_fold(table.shape[own.rows[i]], kFolds, job.options.seed + 79) == 0);
    }
    const SymmetricOptions small = difference_settings(job.options.seed);
    const std::vector<double> alone = predictions_of_judged(own, columns, own.targets, judged, settings),
                              beyond = predictions_of_judged(own, columns, differences, judged, small);
    double best = std::numeric_limits<double>::max(), share = 0;
    for (const double candidate : kShares) {
      double sum = 0;
      for (std::size_t i = 0; i < judged.size(); ++i)
        if (judged[i])
          sum += std::abs(double(own.targets[i]) - candidate * (double(predictions[i]) + beyond[i]) -
                          (1 - candidate) * alone[i]);
      if (sum >= best) continue;
      best = sum;
      share = candidate;
    }
    if (share <= 0) continue;
    const SymmetricEnsemble own_trees(boost_symmetric(own.features, columns, own.targets, settings)),
        difference(boost_symmetric(own.features, columns, differences, small));
    results[cell] = filled(table, own, cells.at(similar), columns, job.options.seed,
                           [&](std::uint32_t r, const OperatorFeatures& row) {
                             return share * (similar_cell.target(r) + difference.predict(row)) +
                                    (1 - share) * own_trees.predict(row);
                           });
  }
  return results;
}

}  // namespace warploom
