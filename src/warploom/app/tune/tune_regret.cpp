#include "warploom/app/tune/tune_regret.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/learning/boosting.h"
#include "warploom/tuner/tile_mapping.h"

namespace warploom {

FieldTable TuneRegretRequest::describe() {
  using R = TuneRegretRequest;
  return RequestFields<R>("tune_regret")
      .add("table", &R::table, {.doc = "a table that `tune fit` wrote", .required = true})
      .add("oracle", &R::oracle, {.doc = "CSV files of every configuration at every shape", .required = true})
      .add("samples", &R::samples, {.doc = "the table's samples, for one more baseline"})
      .add("seen", &R::seen,
           {.doc = "sets learned from or designed on: shapes of the oracle among them are not judged"})
      .add("with_baselines", &R::baselines, {.doc = "other ways to choose beside the table"})
      .table();
}

namespace {

constexpr std::size_t kTreeColumns = 13;

// What trees see: the shape, the configuration and the grid that they make.
void append_row(std::vector<float>& rows, const RuntimeTable& table, const TileShape& shape,
                const TileConfig& c) {
  const TileWork work = tile_work(table.kernel(), table.gpu(), shape, c);
  const auto log2 = [](double value) { return static_cast<float>(std::log2(value)); };
  const float values[kTreeColumns] = {log2(double(shape.m)),
                                      log2(double(shape.n)),
                                      log2(double(shape.k)),
                                      log2(c.tile_m),
                                      log2(c.tile_n),
                                      log2(std::max(1, c.tile_k)),
                                      static_cast<float>(c.warps),
                                      static_cast<float>(c.stages),
                                      log2(double(work.waves)),
                                      work.waves / std::ceil(work.waves),
                                      log2(double(work.iterations)),
                                      log2(double(shape.m) / c.tile_m),
                                      log2(double(shape.n) / c.tile_n)};
  rows.insert(rows.end(), std::begin(values), std::end(values));
}

std::vector<PlainTree> trees_on(const RuntimeTable& table, std::span<const TileSample> samples) {
  std::vector<float> rows, targets;
  for (const TileSample& sample : samples) {
    append_row(rows, table, sample.shape, sample.config);
    targets.push_back(static_cast<float>(std::log(sample.median_us)));
  }
  const BoostingOptions options{.trees = 300, .leaves = 128, .depth = 10, .eta = 0.1};
  return boost_trees(rows, kTreeColumns, targets, options);
}

double sum_of_leaves(const std::vector<PlainTree>& trees, const std::vector<float>& row) {
  double sum = 0;
  for (const PlainTree& tree : trees) {
    const PlainTree::Node* node = tree.nodes.data();
    while (node->feature >= 0)
      node =
          &tree.nodes[std::size_t(row[std::size_t(node->feature)] < node->value ? node->left : node->right)];
    sum += double(node->value);
  }
  return sum;
}

std::vector<ShapeRegret> tree_regret(const RuntimeTable& table, std::span<const TileSample> samples,
                                     std::span<const OracleShape> shapes) {
  const std::vector<PlainTree> trees = trees_on(table, samples);
  const Chooser chooser = [&](const OracleShape& oracle) {
    std::vector<double> times;
    for (const TileSample& sample : oracle.samples) {
      std::vector<float> row;
      append_row(row, table, oracle.shape, sample.config);
      times.push_back(std::exp(sum_of_leaves(trees, row)));
    }
    return times;
  };
  return regret_of(shapes, chooser, table.default_config());
}

std::vector<TileSample> all_samples(std::span<const OracleShape> shapes) {
  std::vector<TileSample> samples;
  for (const OracleShape& shape : shapes)
    samples.insert(samples.end(), shape.samples.begin(), shape.samples.end());
  return samples;
}

void append(std::vector<ShapeRegret>& rows, std::vector<ShapeRegret> more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

void add_baselines(TuneRegretResult& result, const RuntimeTable& table, std::span<const OracleShape> shapes,
                   const TuneRegretRequest& request) {
  const TileConfig fallback = table.default_config();
  std::vector<ShapeRegret> fixed;
  for (ShapeRegret row : result.rows) {
    if (!row.default_us) continue;
    row.picked = fallback;
    row.picked_us = *row.default_us;
    row.predicted_us = 0;
    fixed.push_back(row);
  }
  result.baselines.push_back({"default", "always " + config_text(fallback), summarize(fixed)});
  std::vector<OracleShape> halves[2];
  for (std::size_t i = 0; i < shapes.size(); ++i) halves[i % 2].push_back(shapes[i]);
  if (!halves[1].empty()) {
    std::vector<ShapeRegret> nearest, trees;
    for (const int judged : {0, 1}) {
      append(nearest, nearest_shape_regret(halves[1 - judged], halves[judged], fallback));
      append(trees, tree_regret(table, all_samples(halves[1 - judged]), halves[judged]));
    }
    result.baselines.push_back(
        {"nearest_shape", "best of the nearest shape, other half of the oracle", summarize(nearest)});
    result.baselines.push_back(
        {"xgboost", "trees on every time of the other half of the oracle", summarize(trees)});
  }
  if (!request.samples.empty()) {
    const TileSamples samples = read_tile_samples(request.samples);
    result.baselines.push_back({"xgboost_samples", "trees on the table's own samples",
                                summarize(tree_regret(table, samples.rows, shapes))});
  }
}

}  // namespace

namespace {

std::set<TileShape> shapes_of(const std::vector<std::filesystem::path>& paths) {
  std::set<TileShape> shapes;
  if (paths.empty()) return shapes;
  for (const TileSample& sample : read_tile_samples(paths).rows) shapes.insert(sample.shape);
  return shapes;
}

}  // namespace

TuneRegretResult tune_regret(const TuneRegretRequest& request) {
  const RuntimeTable table = RuntimeTable::open(request.table);
  std::vector<OracleShape> shapes = oracle_shapes(read_tile_samples(request.oracle));
  std::set<TileShape> seen = shapes_of(request.seen);
  seen.merge(shapes_of(request.samples));
  TuneRegretResult result;
  result.with_seen = summarize(regret_of(table, shapes));
  result.seen_shapes =
      std::erase_if(shapes, [&](const OracleShape& shape) { return seen.contains(shape.shape); });
  if (shapes.empty())
    throw InvalidInput("tune regret: every shape of the oracle is in the sets that were seen before");
  result.rows = regret_of(table, shapes);
  result.table = summarize(result.rows);
  if (request.baselines) add_baselines(result, table, shapes, request);
  return result;
}

}  // namespace warploom
