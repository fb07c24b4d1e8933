#include "warploom/learning/symmetric_trees.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/learning/symmetric_boosting.h"
#include "warploom/learning/symmetric_ensemble.h"

namespace warploom {
namespace {

constexpr std::size_t kColumns = 5;

struct Sample {
  std::vector<float> rows, targets;
};

// Column 3 is constant, column 4 has three values.
Sample draw_sample(std::size_t count) {
  RandomStream random(7, "symmetric trees");
  Sample sample;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = random.uniform(-2, 2), b = random.uniform(-2, 2), c = random.uniform(-2, 2);
    const auto kind = double(random.integer(0, 2));
    sample.rows.insert(sample.rows.end(), {float(a), float(b), float(c), 1.5F, float(kind)});
    sample.targets.push_back(float(0.3 * std::sin(3 * a) + (b > 0.5 ? 0.4 * c : 0.0) + 0.2 * kind));
  }
  return sample;
}

FeatureRow row_of(const Sample& sample, std::size_t i) {
  FeatureRow row;
  for (std::size_t f = 0; f < kColumns; ++f) row.add(double(sample.rows[kColumns * i + f]));
  return row;
}

SymmetricTrees learn(const Sample& sample, int trees) {
  return boost_symmetric(sample.rows, kColumns, sample.targets, {.trees = trees});
}

// By the definition in symmetric_trees.h.
double walk(const SymmetricTrees& trees, const FeatureRow& row) {
  std::int64_t sum = 0;
  for (const SymmetricTree& tree : trees.trees) {
    std::size_t leaf = 0;
    for (std::size_t q = 0; q < tree.questions.size(); ++q) {
      const auto [input, cut] = tree.questions[q];
      leaf |= std::size_t(row.values[trees.slots[input]] >= trees.cuts[input][cut]) << q;
    }
    sum += std::int64_t(tree.leaves[leaf]) * tree.scale;
  }
  return double(sum) * kSymmetricUnit;
}

std::vector<VectorUnit> units_here() {
  std::vector<VectorUnit> units;
  for (const VectorUnit unit : {VectorUnit::Plain, VectorUnit::Avx2, VectorUnit::Avx512})
    if (has_vector_unit(unit)) units.push_back(unit);
  return units;
}

void expect_damage_is_refused(const std::string& bytes) {
  EXPECT_THROW(decode_symmetric("", "test"), InvalidInput);
  for (std::size_t keep = 0; keep < bytes.size(); keep += 7)
    EXPECT_THROW(decode_symmetric(std::string_view(bytes).substr(0, keep), "test"), InvalidInput) << keep;
  // A changed byte is refused or decodes to trees that keep every limit.
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = char(changed[at] ^ 0x15);
    try {
      const SymmetricEnsemble ensemble(decode_symmetric(changed, "test"));
      EXPECT_TRUE(std::isfinite(ensemble.predict(row_of(draw_sample(1), 0))));
    } catch (const InvalidInput&) {
    }
  }
}

TEST(SymmetricBoosting, LearnsAFunctionOfItsColumns) {
  const Sample sample = draw_sample(6000);
  const SymmetricTrees trees = learn(sample, 150);
  double squares = 0;
  for (std::size_t i = 0; i < 2000; ++i)
    squares += std::pow(walk(trees, row_of(sample, i)) - double(sample.targets[i]), 2);
  EXPECT_LT(std::sqrt(squares / 2000), 0.03);
}

TEST(SymmetricBoosting, LeavesOutColumnsThatNeverChange) {
  const SymmetricTrees trees = learn(draw_sample(500), 20);
  for (const std::uint8_t slot : trees.slots) EXPECT_NE(slot, 3);
  const std::vector<float> rows(40, 1.0F), targets(20, 0.5F);
  EXPECT_TRUE(boost_symmetric(rows, 2, targets, {}).trees.empty());
}

TEST(SymmetricBoosting, GivesEqualTreesForEqualData) {
  const Sample sample = draw_sample(1000);
  EXPECT_EQ(encode_symmetric(learn(sample, 10)), encode_symmetric(learn(sample, 10)));
}

TEST(SymmetricBoosting, RefusesSizesThatDisagree) {
  const std::vector<float> rows(10), targets(4);
  EXPECT_THROW(boost_symmetric(rows, 3, targets, {}), InvalidInput);
  EXPECT_THROW(boost_symmetric({}, 3, {}, {}), InvalidInput);
}

TEST(SymmetricTrees, ComeBackAsTheyWereEncoded) {
  const std::string bytes = encode_symmetric(learn(draw_sample(3000), 37));
  EXPECT_EQ(encode_symmetric(decode_symmetric(bytes, "test")), bytes);
}

// A grid finer than the cuts comes to every leaf that can be reached.
TEST(SymmetricTrees, KnowWhichLeavesARowCanReach) {
  const SymmetricTrees trees{
      .slots = {0, 1},
      .cuts = {{1, 2, 3}, {0.5F, 1.5F}},
      .trees = {{{{0, 2}, {1, 0}, {0, 0}, {0, 0}, {1, 1}}, 1, std::vector<std::int8_t>(32)}}};
  std::bitset<kSymmetricLeaves> seen;
  for (double a = 0.25; a < 4; a += 0.5)
    for (double b = 0.25; b < 2; b += 0.5) {
      std::size_t leaf = 0;
      for (std::size_t q = 0; q < 5; ++q) {
        const auto [input, cut] = trees.trees[0].questions[q];
        leaf |= std::size_t((input == 0 ? a : b) >= double(trees.cuts[input][cut])) << q;
      }
      seen.set(leaf);
    }
  EXPECT_EQ(reachable_leaves(trees.trees[0].questions), seen);
  EXPECT_EQ(reachable_leaves({}).count(), 1U);
}

TEST(SymmetricTrees, AnswerAlikeInBothLayouts) {
  const Sample sample = draw_sample(6000);
  const SymmetricTrees learned = learn(sample, 120);
  const std::string all = encode_symmetric(learned),
                    reachable = encode_symmetric(learned, LeafLayout::Reachable);
  EXPECT_LT(double(reachable.size()), 0.9 * double(all.size()));
  const SymmetricTrees back = decode_symmetric(reachable, "test");
  EXPECT_EQ(encode_symmetric(back, LeafLayout::Reachable), reachable);
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(walk(back, row_of(sample, i)), walk(learned, row_of(sample, i)));
}

// A leaf that no row can reach has no influence, whatever it holds, and comes back as zero.
TEST(SymmetricTrees, DropLeavesOutOfReach) {
  SymmetricTrees trees{.slots = {0}, .cuts = {{1, 2}}, .trees = {{{{0, 0}, {0, 1}}, 1, {1, 2, 3, 4}}}};
  const SymmetricTrees back = decode_symmetric(encode_symmetric(trees, LeafLayout::Reachable), "test");
  EXPECT_EQ(back.trees[0].leaves, (std::vector<std::int8_t>{1, 2, 0, 4}));
}

TEST(SymmetricTrees, RefuseDamagedBytes) {
  for (const LeafLayout layout : {LeafLayout::All, LeafLayout::Reachable})
    expect_damage_is_refused(encode_symmetric(learn(draw_sample(500), 9), layout));
}

TEST(SymmetricTrees, RefuseWhatBreaksTheirLimits) {
  SymmetricTrees trees = learn(draw_sample(500), 2);
  trees.trees[0].questions[0].cut = 200;
  EXPECT_THROW(encode_symmetric(trees), InvalidInput);
  trees = learn(draw_sample(500), 2);
  trees.trees[1].leaves.pop_back();
  EXPECT_THROW(encode_symmetric(trees), InvalidInput);
}

TEST(SymmetricEnsemble, AnswersAlikeOnEveryVectorUnit) {
  const Sample sample = draw_sample(4000);
  // Odd numbers of trees, and more than a group of 64.
  for (const int count : {1, 33, 150}) {
    const SymmetricTrees trees = learn(sample, count);
    for (const VectorUnit unit : units_here()) {
      const SymmetricEnsemble ensemble(trees, unit);
      EXPECT_EQ(ensemble.tree_count(), std::size_t(count));
      for (std::size_t i = 0; i < 1000; ++i) {
        const FeatureRow row = row_of(sample, i);
        ASSERT_EQ(ensemble.predict(row), walk(trees, row)) << int(unit);
      }
    }
  }
}

TEST(SymmetricEnsemble, AnswersBlocksAsItAnswersRows) {
  const Sample sample = draw_sample(4000);
  for (const int count : {1, 34, 150}) {
    const SymmetricTrees trees = learn(sample, count);
    for (const VectorUnit unit : units_here()) {
      const SymmetricEnsemble ensemble(trees, unit);
      for (std::size_t first = 0; first < 640; first += kRowBlock) {
        FeatureBlock block;
        for (std::size_t i = 0; i < kRowBlock; ++i)
          for (std::size_t f = 0; f < kColumns; ++f) block.slots[f][i] = row_of(sample, first + i).values[f];
        std::array<double, kRowBlock> sums;
        ensemble.predict(block, sums);
        for (std::size_t i = 0; i < kRowBlock; ++i)
          ASSERT_EQ(sums[i], walk(trees, row_of(sample, first + i))) << int(unit) << " row " << i;
      }
    }
  }
}

TEST(SymmetricEnsemble, IsZeroWithoutTrees) {
  const SymmetricEnsemble ensemble(SymmetricTrees{});
  EXPECT_EQ(ensemble.predict(row_of(draw_sample(1), 0)), 0.0);
}

}  // namespace
}  // namespace warploom
