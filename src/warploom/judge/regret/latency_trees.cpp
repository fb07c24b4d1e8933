#include "warploom/judge/regret/latency_trees.h"

#include <algorithm>
#include <cmath>

#include "warploom/learning/boosting.h"

namespace warploom {
namespace {

constexpr std::size_t kTreeColumns = 13;
constexpr BoostingOptions kPublishedTrees{.trees = 600,
                                          .leaves = 1024,
                                          .depth = 10,
                                          .eta = 0.05,
                                          .min_rows = 1,
                                          .row_share = 0.8,
                                          .column_share = 1};

using TreeRow = std::array<float, kTreeColumns>;

TreeRow tree_row(const MappingConstants& mapping, const TileShape& shape, const TileConfig& c) {
  const TileWork work = map_tile(mapping, ShapeTerms(mapping, shape), ConfigConstants(mapping.kernel, c));
  const auto log2 = [](double value) { return static_cast<float>(std::log2(value)); };
  return {log2(double(shape.m)),
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
}

double sum_of_leaves(const std::vector<PlainTree>& trees, const TreeRow& row) {
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

}  // namespace

LatencyTrees::LatencyTrees(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples)
    : mapping_(kernel, gpu) {
  std::vector<float> rows, targets;
  for (const TileSample& sample : samples) {
    const TreeRow row = tree_row(mapping_, sample.shape, sample.config);
    rows.insert(rows.end(), row.begin(), row.end());
    targets.push_back(static_cast<float>(std::log(sample.median_us)));
  }
  trees_ = boost_trees(rows, kTreeColumns, targets, kPublishedTrees);
}

double LatencyTrees::predict_us(const TileShape& shape, const TileConfig& config) const {
  return std::exp(sum_of_leaves(trees_, tree_row(mapping_, shape, config)));
}

std::vector<double> LatencyTrees::predict_us(const OracleShape& oracle) const {
  std::vector<double> times;
  for (const TileSample& sample : oracle.samples) times.push_back(predict_us(oracle.shape, sample.config));
  return times;
}

}  // namespace warploom
