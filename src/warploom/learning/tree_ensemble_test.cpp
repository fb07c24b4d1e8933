#include "warploom/learning/tree_ensemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/learning/boosting.h"

namespace warploom {
namespace {

float walk(const std::vector<PlainTree>& trees, const FeatureRow& row) {
  float sum = 0;
  for (const PlainTree& tree : trees) {
    std::size_t at = 0;
    while (tree.nodes[at].feature >= 0) {
      const PlainTree::Node& node = tree.nodes[at];
      at = std::size_t(row.values[std::size_t(node.feature)] < node.value ? node.left : node.right);
    }
    sum += tree.nodes[at].value;
  }
  return sum;
}

struct Sample {
  std::vector<float> rows, targets;
};

Sample draw_sample(std::size_t count) {
  RandomStream random(7, "trees");
  Sample sample;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = random.uniform(-2, 2), b = random.uniform(-2, 2), c = random.uniform(-2, 2);
    sample.rows.insert(sample.rows.end(), {float(a), float(b), float(c)});
    sample.targets.push_back(float(0.3 * std::sin(3 * a) + (b > 0.5 ? 0.4 : 0.0) * c));
  }
  return sample;
}

FeatureRow row_of(const Sample& sample, std::size_t i) {
  FeatureRow row;
  for (std::size_t f = 0; f < 3; ++f) row.add(sample.rows[3 * i + f]);
  TreeEnsemble::set_guard(row);
  return row;
}

TEST(TreeEnsemble, RepeatsTheLearnersOwnTrees) {
  const Sample sample = draw_sample(4000);
  const std::vector<PlainTree> trees =
      boost_trees(sample.rows, 3, sample.targets, {.trees = 43, .leaves = 64});
  ASSERT_EQ(trees.size(), 43U);
  const TreeEnsemble ensemble(encode_trees(trees), "test");
  double squares = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const FeatureRow row = row_of(sample, i);
    EXPECT_NEAR(ensemble.predict(row), walk(trees, row), 43 * 1e-5);
    squares += std::pow(ensemble.predict(row) - sample.targets[i], 2);
  }
  EXPECT_LT(std::sqrt(squares / 2000), 0.1) << "the trees must have learned the function";
}

TEST(TreeEnsemble, IsTheSameForEqualData) {
  const Sample sample = draw_sample(1000);
  EXPECT_EQ(encode_trees(boost_trees(sample.rows, 3, sample.targets, {.trees = 5})),
            encode_trees(boost_trees(sample.rows, 3, sample.targets, {.trees = 5})));
}

TEST(TreeEnsemble, RefusesDamagedBytes) {
  const Sample sample = draw_sample(500);
  const std::string bytes = encode_trees(boost_trees(sample.rows, 3, sample.targets, {.trees = 2}));
  EXPECT_THROW(TreeEnsemble(std::string_view(bytes).substr(0, bytes.size() / 2), "test"), InvalidInput);
  EXPECT_THROW(TreeEnsemble("", "test"), InvalidInput);
}

TEST(Boosting, RefusesSizesThatDisagree) {
  const std::vector<float> rows(10), targets(4);
  EXPECT_THROW(boost_trees(rows, 3, targets, {}), InvalidInput);
}

}  // namespace
}  // namespace warploom
