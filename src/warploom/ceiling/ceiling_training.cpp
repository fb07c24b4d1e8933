#include "warploom/ceiling/ceiling_training.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/statistics.h"
#include "warploom/ceiling/ceiling_features.h"
#include "warploom/learning/symmetric_boosting.h"
#include "warploom/learning/symmetric_ensemble.h"

namespace warploom {
namespace {

// Few rows need more folds: trees for a fold should know nearly as much as those that are kept.
constexpr std::uint32_t kFolds = 4, kFoldsOfFew = 12;
constexpr std::size_t kFewRows = 20'000;
// Below this, quantiles come from trees whose spread, too, saw nothing of a row's fold: few shapes are alike
// in clusters, and a spread that knows their deviations calls the quantile too high.
constexpr std::size_t kNestedRows = 5'000;
constexpr std::uint64_t kThinningSeed = 0x71C3A1;  // apart from every split's
constexpr double kLeastSpreadSeen = 1e-3;          // of |residual|, so that its logarithm exists

// Location: absolute deviations are what a median minimises; Huber's loss with a bound of one median is near.
SymmetricOptions location_options(std::uint64_t seed) {
  return {.trees = 200, .depth = 7, .eta = 0.15, .row_share = 0.7, .bound = 1.0, .seed = seed};
}
SymmetricOptions spread_options(std::uint64_t seed) {
  return {.trees = 60, .depth = 5, .eta = 0.15, .lambda = 8, .row_share = 0.7, .seed = seed};
}

struct Table {
  std::size_t columns = 0;
  std::vector<float> features;  // row-major
  std::vector<float> target;    // ln efficiency
  std::uint32_t folds = kFolds;
  std::vector<std::uint32_t> fold;

  std::size_t rows() const { return target.size(); }
};

Table make_table(const Dataset& dataset, std::span<const std::uint32_t> rows, const GpuCatalog& catalog,
                 std::uint64_t seed) {
  Table table;
  table.folds = rows.size() < kFewRows ? kFoldsOfFew : kFolds;
  FeatureRow features;
  const RoutingCache routing;
  for (const std::uint32_t row : rows) {
    try {
      const GpuSpec& gpu = catalog.get(dataset.gpu(row));
      const KernelProfile p = ceiling_profile(dataset.op(row), gpu, &routing);
      ceiling_features(dataset.op(row), gpu, p, features);
      table.columns = std::size_t(features.count);
      table.features.insert(table.features.end(), features.values.begin(),
                            features.values.begin() + features.count);
      table.target.push_back(static_cast<float>(std::log(p.physical_bound / dataset.latency(row).value())));
      table.fold.push_back(shape_fold(dataset.shape(row), table.folds, seed));
    } catch (const Unsupported&) {
      continue;
    }
  }
  return table;
}

struct Learned {
  float offset = 0;
  SymmetricTrees trees;
};

// Trees on the rows that `wants` takes.
template <class Test>
Learned learn(const Table& table, const std::vector<float>& targets, const SymmetricOptions& options,
              const Test& wants) {
  std::vector<float> rows, values;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    if (!wants(r)) continue;
    rows.insert(rows.end(), table.features.begin() + std::ptrdiff_t(r * table.columns),
                table.features.begin() + std::ptrdiff_t((r + 1) * table.columns));
    values.push_back(targets[r]);
  }
  Learned learned;
  learned.offset = static_cast<float>(quantile(std::vector<double>(values.begin(), values.end()), 0.5));
  for (float& value : values) value -= learned.offset;
  learned.trees = boost_symmetric(rows, table.columns, values, options);
  return learned;
}

template <class Test>
void answer(const Table& table, const Learned& learned, const Test& wants, std::vector<float>& out) {
  const SymmetricEnsemble ensemble(learned.trees);
  FeatureRow row;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    if (!wants(r)) continue;
    std::copy_n(table.features.begin() + std::ptrdiff_t(r * table.columns), table.columns,
                row.values.begin());
    out[r] = static_cast<float>(double(learned.offset) + ensemble.predict(row));
  }
}

// Answers for every row from trees that learned from the other folds of the rows that `wants` takes.
template <class Test>
std::vector<float> out_of_fold(const Table& table, const std::vector<float>& targets,
                               const SymmetricOptions& options, const Test& wants) {
  std::vector<float> answers(table.rows());
  for (std::uint32_t fold = 0; fold < table.folds; ++fold) {
    const Learned learned =
        learn(table, targets, options, [&](std::size_t r) { return wants(r) && table.fold[r] != fold; });
    answer(
        table, learned, [&](std::size_t r) { return table.fold[r] == fold; }, answers);
  }
  return answers;
}

std::vector<std::uint32_t> chosen_rows(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                       const CeilingTrainingOptions& options) {
  const std::set<std::string> excluded(options.exclude_gpus.begin(), options.exclude_gpus.end());
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t row : rows)
    if (ceiling_counts(dataset, row) && !options.split.is_test(dataset.shape(row)) &&
        !excluded.contains(dataset.gpu(row)))
      chosen.push_back(row);
  const double share = double(options.most_rows) / double(std::max<std::size_t>(1, chosen.size()));
  if (share < 1)
    std::erase_if(chosen, [&](std::uint32_t row) {
      return shape_position(dataset.shape(row), kThinningSeed) >= share;
    });
  return chosen;
}

std::uint64_t hash_of(const Table& table) {
  std::uint64_t hash = table.rows();
  for (const float value : table.target) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = hash_combine(hash, bits);
  }
  return hash;
}

struct Deviations {
  std::vector<float> location;  // by trees that did not see the row's fold
  std::vector<float> log_size;  // ln |residual|
};

template <class Test>
Deviations deviations_of(const Table& table, std::uint64_t seed, const Test& wants) {
  Deviations result{.location = out_of_fold(table, table.target, location_options(seed), wants),
                    .log_size = std::vector<float>(table.rows())};
  for (std::size_t r = 0; r < table.rows(); ++r)
    result.log_size[r] = static_cast<float>(
        std::log(std::abs(double(table.target[r]) - double(result.location[r])) + kLeastSpreadSeen));
  return result;
}

// Location and ln spread of each row by trees that saw nothing of its fold, neither themselves nor through
// the deviations that the spread learned from.
std::pair<std::vector<float>, std::vector<float>> nested_answers(const Table& table, std::uint64_t seed) {
  std::vector<float> location(table.rows()), log_spread(table.rows());
  for (std::uint32_t fold = 0; fold < table.folds; ++fold) {
    const auto judged = [&](std::size_t r) { return table.fold[r] == fold; };
    const auto others = [&](std::size_t r) { return table.fold[r] != fold; };
    const Deviations seen = deviations_of(table, seed, others);
    answer(table, learn(table, table.target, location_options(seed), others), judged, location);
    answer(table, learn(table, seen.log_size, spread_options(seed), others), judged, log_spread);
  }
  return {std::move(location), std::move(log_spread)};
}

void set_quantiles(const Table& table, const std::vector<float>& location,
                   const std::vector<float>& log_spread, FamilyCeiling& ceiling) {
  std::vector<double> z(table.rows());
  for (std::size_t r = 0; r < z.size(); ++r) {
    const double spread = std::clamp(std::exp(double(log_spread[r])), kLeastSpread, kMostSpread);
    z[r] = (double(table.target[r]) - double(location[r])) / spread;
  }
  std::sort(z.begin(), z.end());
  for (std::size_t i = 0; i < kCeilingQuantiles; ++i)
    ceiling.z[i] = static_cast<float>(quantile_of_sorted(z, kLeastQuantile + 0.01 * double(i)));
}

}  // namespace

bool ceiling_counts(const Dataset& dataset, std::size_t row) {
  const Marks marks = dataset.marks(row);
  return !marks.biased && !marks.launch_bound;
}

std::optional<FamilyCeiling> train_ceiling(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                           const GpuCatalog& catalog, Family family,
                                           const CeilingTrainingOptions& options) {
  const std::vector<std::uint32_t> chosen = chosen_rows(dataset, rows, options);
  const Table table = make_table(dataset, chosen, catalog, options.seed);
  if (table.rows() < kFewestCeilingRows) return std::nullopt;
  const auto all = [](std::size_t) { return true; };
  const Deviations deviations = deviations_of(table, options.seed, all);

  FamilyCeiling ceiling;
  ceiling.family = family;
  ceiling.rows = table.rows();
  ceiling.seed = options.seed;
  ceiling.test_fraction = options.split.test_fraction;
  ceiling.split_seed = options.split.seed;
  ceiling.data_hash = hash_of(table);
  std::set<std::string> gpus;
  for (const std::uint32_t row : chosen) gpus.insert(dataset.gpu(row));
  ceiling.gpus.assign(gpus.begin(), gpus.end());
  if (table.rows() < kNestedRows) {
    const auto [location, log_spread] = nested_answers(table, options.seed);
    set_quantiles(table, location, log_spread, ceiling);
  } else {
    set_quantiles(table, deviations.location,
                  out_of_fold(table, deviations.log_size, spread_options(options.seed), all), ceiling);
  }
  const Learned kept_location = learn(table, table.target, location_options(options.seed), all);
  const Learned kept_spread = learn(table, deviations.log_size, spread_options(options.seed), all);
  ceiling.location_offset = kept_location.offset;
  ceiling.location = encode_symmetric(kept_location.trees);
  ceiling.spread_offset = kept_spread.offset;
  ceiling.spread = encode_symmetric(kept_spread.trees);
  return ceiling;
}

}  // namespace warploom
