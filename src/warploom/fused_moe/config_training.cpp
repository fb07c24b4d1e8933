#include "warploom/fused_moe/config_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/measured_time.h"
#include "warploom/base/random.h"
#include "warploom/base/statistics.h"
#include "warploom/learning/symmetric_boosting.h"

namespace warploom {
namespace {

constexpr std::size_t kNearBestRows = 15;  // of a shape
constexpr int kDefaultWeight = 12;         // an engine's default counts as so many rows
constexpr std::uint32_t kLayerFolds = 4;
constexpr std::size_t kSeldom = 4;  // candidates near the best of fewer shapes are left out

// "A100", 64, 8, 2, 1024, 512.
struct ShapeKey {
  const GpuSpec* gpu = nullptr;
  std::int64_t tokens = 0, experts = 0, top_k = 0, hidden = 0, width = 0;
  auto operator<=>(const ShapeKey&) const = default;

  std::uint64_t layer() const {
    std::uint64_t hash = 3;
    for (const std::int64_t size : {experts, top_k, hidden, width})
      hash = hash_combine(hash, std::uint64_t(size));
    return hash;
  }
  GroupedProduct product() const {
    return {.pairs = double(tokens * top_k),
            .experts = double(experts),
            .outputs = 2 * double(width),
            .inner = double(hidden)};
  }
};

struct ShapeColumns {
  explicit ShapeColumns(const CsvReader& csv)
      : gpu(csv.column("hardware")),
        sizes{csv.column("M"), csv.column("E"), csv.column("topk"), csv.column("H"), csv.column("N")} {}
  ShapeKey read(const CsvReader& csv, const GpuCatalog& catalog) const {
    ShapeKey key{.gpu = catalog.find(csv.cell(gpu))};
    std::int64_t* const values[] = {&key.tokens, &key.experts, &key.top_k, &key.hidden, &key.width};
    for (std::size_t i = 0; i < 5; ++i) {
      *values[i] = csv.integer(sizes[i]);
      if (*values[i] < 1) throw InvalidInput(fmt::format("{}: expected at least 1", csv.where(sizes[i])));
    }
    return key;
  }
  std::size_t gpu, sizes[5];
};

// Names of the six numbers of a configuration, in the order of MoeConfig.
MoeConfig read_config(const CsvReader& csv, const std::size_t (&columns)[6]) {
  constexpr std::int64_t kMost = 1 << 24;
  const auto at = [&](int i) {
    const std::int64_t value = csv.integer(columns[i]);
    if (value < 1 || value > kMost)
      throw InvalidInput(fmt::format("{}: expected 1 to {}", csv.where(columns[i]), kMost));
    return std::int32_t(value);
  };
  return {.tile = {.tile_m = at(0), .tile_n = at(1), .tile_k = at(2), .warps = at(4), .stages = at(5)},
          .group_m = at(3)};
}

double time_in(const CsvReader& csv, std::size_t column) { return measured_time(csv, column, kMicroseconds); }

struct Searched {
  double best_us = 0, median_us = 0;
  std::map<MoeConfig, double> near_best;  // us
  std::optional<std::pair<MoeConfig, double>> engine_default;
};
using Searches = std::map<ShapeKey, Searched>;

void read_gains(const std::filesystem::path& path, const GpuCatalog& catalog, Searches& searches) {
  CsvReader csv(path);
  const ShapeColumns shape(csv);
  const std::size_t best = csv.column("best_us"), median = csv.column("median_config_us"),
                    engine = csv.column("sglang_default_us");
  const std::size_t config[6] = {csv.column("sglang_BM"),        csv.column("sglang_BN"),
                                 csv.column("sglang_BK"),        csv.column("sglang_GM"),
                                 csv.column("sglang_num_warps"), csv.column("sglang_num_stages")};
  while (csv.next()) {
    const ShapeKey key = shape.read(csv, catalog);
    if (key.gpu == nullptr) continue;
    Searched& searched = searches[key];
    searched.best_us = time_in(csv, best);
    searched.median_us = time_in(csv, median);
    if (!csv.empty(engine)) searched.engine_default = {read_config(csv, config), time_in(csv, engine)};
  }
}

void read_near_best(const std::filesystem::path& path, const GpuCatalog& catalog, Searches& searches) {
  CsvReader csv(path);
  const ShapeColumns shape(csv);
  const std::size_t time = csv.column("avg_duration_us");
  const std::size_t config[6] = {csv.column("BLOCK_SIZE_M"), csv.column("BLOCK_SIZE_N"),
                                 csv.column("BLOCK_SIZE_K"), csv.column("GROUP_SIZE_M"),
                                 csv.column("num_warps"),    csv.column("num_stages")};
  while (csv.next()) {
    const auto found = searches.find(shape.read(csv, catalog));
    if (found != searches.end()) found->second.near_best[read_config(csv, config)] = time_in(csv, time);
  }
}

// `most` of the entries, drawn without repeats.
template <class T>
std::vector<T> drawn(const std::vector<T>& entries, std::size_t most, RandomStream& random) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  random.shuffle(order);
  if (order.size() > most) order.resize(most);
  std::vector<T> chosen;
  for (const std::size_t i : order) chosen.push_back(entries[i]);
  return chosen;
}

class RowBuilder {
 public:
  RowBuilder(ConfigRows& result, std::uint64_t seed) : result_(result), random_(seed, "fused_moe rows") {}

  void add(const ShapeKey& key, const Searched& searched) {
    const auto place = std::find(result_.gpus.begin(), result_.gpus.end(), key.gpu);
    row_ = {.gpu = std::uint32_t(place - result_.gpus.begin()),
            .shape = shape_++,
            .layer = key.layer(),
            .product = key.product()};
    if (place == result_.gpus.end()) {
      result_.gpus.push_back(key.gpu);
      result_.searches.gpus.push_back(searched_gpu(*key.gpu));
    }
    std::vector<std::pair<MoeConfig, double>> near(searched.near_best.begin(), searched.near_best.end());
    for (const auto& [config, us] : drawn(near, kNearBestRows, random_))
      put(ConfigRow::Kind::NearBest, config, std::max(0.0, std::log(us / searched.best_us)));
    if (searched.engine_default)
      put(ConfigRow::Kind::EngineDefault, searched.engine_default->first,
          std::log(searched.engine_default->second / searched.best_us));
    ConfigSearch search{.gpu = std::uint16_t(row_.gpu), .product = row_.product, .near_best = {}};
    for (const auto& [config, us] : searched.near_best) {
      const auto found = std::lower_bound(result_.candidates.begin(), result_.candidates.end(), config);
      if (found != result_.candidates.end() && *found == config)
        search.near_best.push_back(std::uint16_t(found - result_.candidates.begin()));
    }
    result_.searches.searches.push_back(std::move(search));
    result_.layers.push_back(row_.layer);
  }

 private:
  void put(ConfigRow::Kind kind, const MoeConfig& config, double slowdown) {
    row_.kind = kind;
    row_.config = config;
    row_.slowdown = static_cast<float>(slowdown);
    result_.rows.push_back(row_);
  }

  ConfigRows& result_;
  RandomStream random_;
  ConfigRow row_;
  std::uint32_t shape_ = 0;
};

// Trees on the rows that `wants` takes.
template <class Test>
ConfigModelRecord learn(const ConfigRows& data, std::uint64_t seed, const Test& wants) {
  std::vector<float> features, targets;
  FeatureRow row;
  for (const ConfigRow& entry : data.rows) {
    if (!wants(entry)) continue;
    config_features(entry.product, entry.config, *data.gpus[entry.gpu], row);
    const int copies = entry.kind == ConfigRow::Kind::EngineDefault ? kDefaultWeight : 1;
    for (int i = 0; i < copies; ++i) {
      features.insert(features.end(), row.values.begin(), row.values.begin() + row.count);
      targets.push_back(entry.slowdown);
    }
  }
  if (targets.empty()) throw InvalidInput("train-moe-configs: no row to learn from");
  ConfigModelRecord learned;
  learned.offset = static_cast<float>(mean(std::vector<double>(targets.begin(), targets.end())));
  for (float& target : targets) target -= learned.offset;
  learned.trees = encode_symmetric(boost_symmetric(
      features, std::size_t(row.count), targets,
      {.trees = 200, .depth = 6, .eta = 0.08, .row_share = 0.6, .column_share = 0.5, .seed = seed}));
  return learned;
}

std::uint32_t layer_fold(const ConfigRow& row) { return std::uint32_t(row.layer % kLayerFolds); }

double points(double slowdown) { return 100 * (1 - std::exp(-slowdown)); }

// What one shape showed.
struct Outcome {
  std::uint32_t gpu = 0;
  double measured = 0, predicted = 0, constant = 0;  // ln(default / best)
};

// Predicted gain from the default to the configuration that the search found best.
std::vector<Outcome> left_out(const ConfigRows& data, std::uint64_t seed) {
  std::map<std::uint32_t, const ConfigRow*> best;
  for (const ConfigRow& row : data.rows) {
    if (row.kind != ConfigRow::Kind::NearBest) continue;
    const ConfigRow*& place = best[row.shape];
    if (place == nullptr || row.slowdown < place->slowdown) place = &row;
  }
  std::vector<Outcome> outcomes;
  for (std::uint32_t gpu = 0; gpu < data.gpus.size(); ++gpu)
    for (std::uint32_t fold = 0; fold < kLayerFolds; ++fold) {
      const auto learns = [&](const ConfigRow& row) { return row.gpu != gpu && layer_fold(row) != fold; };
      const ConfigModel model(learn(data, seed, learns));
      std::vector<double> seen;
      for (const ConfigRow& row : data.rows)
        if (learns(row) && row.kind == ConfigRow::Kind::EngineDefault) seen.push_back(double(row.slowdown));
      const double constant = quantile(seen, 0.5);
      for (const ConfigRow& row : data.rows) {
        if (row.gpu != gpu || layer_fold(row) != fold || row.kind != ConfigRow::Kind::EngineDefault ||
            !best.contains(row.shape))
          continue;
        const GpuSpec& spec = *data.gpus[gpu];
        const double from = model.slowdown(row.product, row.config, spec),
                     to = model.slowdown(row.product, best[row.shape]->config, spec);
        outcomes.push_back({gpu, double(row.slowdown), from - to, constant});
      }
    }
  return outcomes;
}

GainError error_of(const std::string& name, const std::vector<Outcome>& outcomes) {
  std::vector<double> errors, constants;
  for (const Outcome& outcome : outcomes) {
    errors.push_back(std::abs(points(outcome.predicted) - points(outcome.measured)));
    constants.push_back(std::abs(points(outcome.constant) - points(outcome.measured)));
  }
  return {.gpu = name,
          .shapes = errors.size(),
          .median_points = quantile(errors, 0.5),
          .mean_points = mean(errors),
          .constant_median_points = quantile(constants, 0.5)};
}

VoteHits vote_hits(const ConfigRows& data) {
  const std::vector<ConfigSearch>& searches = data.searches.searches;
  VoteHits hits;
  for (std::size_t i = 0; i < searches.size(); ++i)
    for (const bool new_gpu : {false, true}) {
      std::vector<char> counts(searches.size());
      for (std::size_t j = 0; j < searches.size(); ++j)
        counts[j] = data.layers[j] != data.layers[i] && !(new_gpu && searches[j].gpu == searches[i].gpu);
      std::vector<double> votes = config_votes(data.searches, data.candidates.size(), searches[i].product,
                                               data.searches.gpus[searches[i].gpu], counts);
      for (std::size_t c = 0; c < votes.size(); ++c)
        if (!may_run(data.candidates[c], *data.gpus[searches[i].gpu])) votes[c] = -1;
      const auto best = std::uint16_t(std::max_element(votes.begin(), votes.end()) - votes.begin());
      const auto& near = searches[i].near_best;
      if (std::binary_search(near.begin(), near.end(), best))
        (new_gpu ? hits.new_gpu : hits.new_layer) += 1.0 / double(searches.size());
    }
  return hits;
}

}  // namespace

ConfigRows read_config_rows(const std::filesystem::path& gains, const std::filesystem::path& near_best,
                            const GpuCatalog& catalog, std::uint64_t seed) {
  Searches searches;
  read_gains(gains, catalog, searches);
  read_near_best(near_best, catalog, searches);
  if (searches.empty()) throw InvalidInput(fmt::format("{}: no search of a known GPU", gains.string()));
  std::map<MoeConfig, std::size_t> seen;
  for (const auto& [key, searched] : searches)
    for (const auto& [config, us] : searched.near_best) ++seen[config];
  ConfigRows result;
  for (const auto& [config, shapes] : seen)
    if (shapes >= kSeldom) result.candidates.push_back(config);
  // By name, so that rows do not depend on where specs lie in memory.
  std::vector<std::pair<const ShapeKey*, const Searched*>> ordered;
  for (const auto& [key, searched] : searches) ordered.emplace_back(&key, &searched);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first->gpu->name < b.first->gpu->name; });
  RowBuilder builder(result, seed);
  for (const auto& [key, searched] : ordered) builder.add(*key, *searched);
  return result;
}

ConfigTraining train_configs(const ConfigRows& rows, std::uint64_t seed) {
  ConfigTraining result;
  const std::vector<Outcome> outcomes = left_out(rows, seed);
  result.all = error_of("all", outcomes);
  std::vector<double> residuals;
  for (const Outcome& outcome : outcomes) residuals.push_back(outcome.measured - outcome.predicted);
  for (std::uint32_t gpu = 0; gpu < rows.gpus.size(); ++gpu) {
    std::vector<Outcome> of_gpu;
    std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(of_gpu),
                 [&](const Outcome& outcome) { return outcome.gpu == gpu; });
    if (!of_gpu.empty()) result.gpus.push_back(error_of(rows.gpus[gpu]->name, of_gpu));
  }
  result.record = learn(rows, seed, [](const ConfigRow&) { return true; });
  result.record.searches = rows.searches;
  result.hits = vote_hits(rows);
  result.record.rows = rows.rows.size();
  result.record.candidates = rows.candidates;
  result.record.residual_p10 = static_cast<float>(quantile(residuals, 0.1));
  result.record.residual_p90 = static_cast<float>(quantile(residuals, 0.9));
  std::uint64_t hash = rows.rows.size();
  for (const ConfigRow& row : rows.rows) hash = hash_combine(hash, std::uint64_t(row.slowdown * 1e6F));
  result.record.data_hash = hash;
  return result;
}

}  // namespace warploom
