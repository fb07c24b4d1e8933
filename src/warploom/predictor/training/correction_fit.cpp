#include "warploom/predictor/training/correction_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warploom/learning/boosting.h"
#include "warploom/learning/tree_ensemble.h"

namespace warploom {
namespace {

constexpr std::size_t kRows = 160000;        // the gain beyond is under 0.05 points of the mean
constexpr std::size_t kWeighedRows = 40000;  // that set the weights and choose the features
constexpr double kLargestMiss = 0.3;         // of a guess, so that outliers do not decide its weight
constexpr std::size_t kFewestGuesses = 50;
constexpr double kOutlier = 6;  // medians of the absolute target
constexpr float kLeastBound = 0.02F;

BoostingOptions settings_of(std::size_t rows, std::uint64_t seed) {
  BoostingOptions o;
  o.seed = seed + 31;
  o.trees = 350;
  o.leaves = std::clamp(int(rows / 200), 8, 512);
  o.eta = 0.065;
  o.lambda = 2;
  o.min_rows = 4;
  o.row_share = 0.8;
  o.column_share = 0.5;
  return o;
}

BoostingOptions first_settings(std::size_t rows, std::uint64_t seed) {
  BoostingOptions o = settings_of(rows, seed);
  o.trees = 40;
  o.eta = 0.1;
  o.leaves = std::min(o.leaves, 128);
  return o;
}

// Rows with measured neighbours, and the guesses from these.
struct Sample {
  TrainingTable table;
  std::vector<std::uint32_t> rows;  // of the table
  std::vector<Neighbours> neighbours;
  std::vector<Guesses> guesses;
};

Sample draw(const FamilyJob& job, const ResidualTable& residuals, int gpu) {
  Sample sample;
  sample.table = job.table(thin(job.rows_of(Part::Learn, gpu), job.rows, kRows, job.options.seed + 41),
                           fitted_base(job.model));
  const auto moves = grid_moves(job.model.family);
  Neighbours neighbours;
  Guesses guesses;
  for (std::uint32_t r = 0; r < sample.table.rows(); ++r) {
    const GridPoint point = grid_point(job.dataset.op(sample.table.source[r]));
    if (point.axes == 0) continue;
    find_neighbours(residuals, sample.table.cell[r], point, moves, neighbours);
    if (neighbours.found < kFewestNeighbours) continue;
    make_guesses(neighbours, guesses);
    sample.rows.push_back(r);
    sample.neighbours.push_back(neighbours);
    sample.guesses.push_back(guesses);
  }
  return sample;
}

// A guess that is off by e on average weighs e^-3.
std::vector<float> weigh(const Sample& sample) {
  std::array<double, kMaxGuesses> misses{};
  std::array<std::size_t, kMaxGuesses> counts{};
  const std::size_t stride = std::max<std::size_t>(1, sample.rows.size() / kWeighedRows);
  for (std::size_t i = 0; i < sample.rows.size(); i += stride) {
    const double target = double(sample.table.target[sample.rows[i]]);
    for (std::size_t g = 0; g < sample.guesses[i].count; ++g) {
      const double guess = double(sample.guesses[i].values[g]);
      if (std::isnan(guess)) continue;
      misses[g] += std::min(std::abs(guess - target), kLargestMiss);
      ++counts[g];
    }
  }
  std::vector<float> weights(kMaxGuesses, 0);
  double sum = 0;
  for (std::size_t g = 0; g < kMaxGuesses; ++g)
    if (counts[g] >= kFewestGuesses) {
      weights[g] = float(std::pow(std::max(misses[g] / double(counts[g]), 1e-3), -3));
      sum += double(weights[g]);
    }
  for (float& weight : weights) weight /= sum > 0 ? float(sum) : 1.0F;
  return weights;
}

struct Matrix {
  std::size_t columns = 0;
  std::vector<float> rows, targets;

  Matrix only(std::span<const std::uint16_t> chosen, std::size_t stride) const {
    Matrix part;
    part.columns = chosen.size();
    for (std::size_t r = 0; r < targets.size(); r += stride) {
      for (const std::uint16_t c : chosen) part.rows.push_back(rows[r * columns + c]);
      part.targets.push_back(targets[r]);
    }
    return part;
  }
};

Matrix make_matrix(const FamilyJob& job, const Sample& sample, std::span<const float> weights) {
  Matrix matrix;
  OperatorFeatures row;
  TableFeatures features;
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    const std::uint32_t r = sample.rows[i];
    const CellRecord& cell = job.model.cells[sample.table.cell[r]];
    take_features(sample.table, r, row);
    const Centre centre = weigh_guesses(sample.guesses[i], weights, cell.offset);
    fill_table_features(sample.neighbours[i], sample.guesses[i], centre, job.codes[cell.context], cell.offset,
                        row, features);
    matrix.columns = features.count;
    matrix.rows.insert(matrix.rows.end(), features.values.begin(),
                       features.values.begin() + std::ptrdiff_t(features.count));
    matrix.targets.push_back(sample.table.target[r] - centre.value);
  }
  return matrix;
}

std::vector<std::uint16_t> all_columns(std::size_t count) {
  std::vector<std::uint16_t> columns(count);
  std::iota(columns.begin(), columns.end(), std::uint16_t(0));
  return columns;
}

// The features that the first trees split by most, a split at depth d counting 2^-d.
std::vector<std::uint16_t> choose_features(const std::vector<PlainTree>& trees, std::size_t columns) {
  std::vector<double> score(columns, 0);
  for (const PlainTree& tree : trees) {
    std::vector<double> share(tree.nodes.size(), 1);
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      const PlainTree::Node& node = tree.nodes[n];
      if (node.feature < 0) continue;
      score[std::size_t(node.feature)] += share[n];
      share[std::size_t(node.left)] = share[std::size_t(node.right)] = share[n] / 2;
    }
  }
  std::vector<std::uint16_t> order = all_columns(columns);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint16_t a, std::uint16_t b) { return score[a] > score[b]; });
  order.resize(std::min<std::size_t>(columns, std::size_t(kMaxFeatures)));
  std::sort(order.begin(), order.end());
  return order;
}

// So that the few rows whose neighbours mislead do not bend the trees: those of MLA decode then miss by 1.4 %
// instead of 1.8 % in the median.
std::vector<float> without_outliers(const std::vector<float>& targets) {
  return bounded(targets, kOutlier, kLeastBound);
}

// Least squares on bounded targets, then again on what that left: large misses that the features explain
// are still learned, in two steps.
std::vector<PlainTree> boost_robustly(Matrix matrix, std::uint64_t seed) {
  BoostingOptions options = settings_of(matrix.targets.size(), seed);
  options.trees /= 2;
  std::vector<PlainTree> trees =
      boost_trees(matrix.rows, matrix.columns, without_outliers(matrix.targets), options);
  const TreeEnsemble first(encode_trees(trees), "training");
  OperatorFeatures row;
  for (std::size_t r = 0; r < matrix.targets.size(); ++r) {
    row.count = 0;
    for (std::size_t c = 0; c < matrix.columns; ++c) row.add(double(matrix.rows[r * matrix.columns + c]));
    TreeEnsemble::set_guard(row);
    matrix.targets[r] -= first.predict(row);
  }
  ++options.seed;
  for (PlainTree& tree : boost_trees(matrix.rows, matrix.columns, without_outliers(matrix.targets), options))
    trees.push_back(std::move(tree));
  return trees;
}

}  // namespace

CorrectionRecord fit_correction(const FamilyJob& job, const ResidualTable& residuals, int gpu) {
  CorrectionRecord record;
  const Sample sample = draw(job, residuals, gpu);
  if (sample.rows.size() < kFewestRowsForTrees) return record;
  record.weights = weigh(sample);
  const Matrix matrix = make_matrix(job, sample, record.weights);
  const std::uint64_t seed = job.options.seed + std::uint64_t(gpu);
  if (matrix.columns > std::size_t(kMaxFeatures)) {
    const std::size_t stride = std::max<std::size_t>(1, sample.rows.size() / kWeighedRows);
    const Matrix first = matrix.only(all_columns(matrix.columns), stride);
    record.features = choose_features(boost_trees(first.rows, first.columns, without_outliers(first.targets),
                                                  first_settings(first.targets.size(), seed)),
                                      matrix.columns);
  } else {
    record.features = all_columns(matrix.columns);
  }
  record.trees = encode_trees(boost_robustly(matrix.only(record.features, 1), seed));
  return record;
}

}  // namespace warploom
