#include "warploom/tuner/anchor_plan.h"

#include <gtest/gtest.h>

#include <set>

#include "warploom/base/error.h"
#include "warploom/tuner/tile_mapping.h"
#include "warploom/tuner/two_tiles_test.h"

namespace warploom {
namespace {

float most_waves(const TileKernel& kernel, const TileConfig& config) {
  float most = 0;
  for (const AnchorRow& row : plan_anchors(kernel, {}, {config}))
    most = std::max(most, tile_work(kernel, {}, row.shape, row.config).waves);
  return most;
}

TEST(AnchorPlan, ReachesTenWavesWithPartsAndBatchesToo) {
  const TileConfig plain{64, 64, 64, 4, 3, 1}, split{64, 64, 64, 4, 3, 8};
  for (const float most : {most_waves({}, plain), most_waves({}, split), most_waves({.batch = 16}, plain)}) {
    EXPECT_GT(most, 8.5F);
    EXPECT_LE(most, 10.0F);
  }
}

TEST(AnchorPlan, GivesEveryPartWholeLoops) {
  for (const AnchorRow& row : plan_anchors({}, {}, {{64, 64, 64, 4, 3, 4}})) EXPECT_EQ(row.shape.k % 256, 0);
}

TEST(AnchorPlan, NarrowRowsAreOfOneConfigurationForAllStages) {
  const std::vector<TileConfig> space{
      {64, 64, 64, 4, 2, 1}, {64, 64, 64, 4, 3, 1}, {64, 64, 64, 4, 5, 1}, {64, 64, 64, 8, 4, 1}};
  std::size_t of_three = 0, of_four = 0, both = 0;
  for (const AnchorRow& row : plan_narrow({}, {}, space)) {
    EXPECT_EQ((row.shape.k + 1) % 64, 0);
    const int row_class = row_class_of({}, row.shape, true);
    EXPECT_TRUE(row_class == kNarrowLoads || row_class == kNarrowBoth);
    both += row_class == kNarrowBoth ? 1U : 0U;
    of_three += row.config == space[1] ? 1U : 0U;
    of_four += row.config == space[3] ? 1U : 0U;
  }
  EXPECT_GT(of_three, 80U);
  EXPECT_EQ(2 * both, of_three + of_four) << "half of them have narrow stores too";
  EXPECT_EQ(of_three, of_four);
  EXPECT_EQ(plan_narrow({}, {}, space).size(), of_three + of_four);
  EXPECT_TRUE(plan_narrow({.kind = TileKernelKind::Attention}, {}, space).empty());
}

TEST(AnchorPlan, TheSecondRoundHasRandomShapesThatAreNarrowBothWays) {
  const auto both = [](bool narrow_rows) {
    std::set<TileShape> shapes;
    for (const AnchorRow& row : plan_second_round({}, {}, two_tile_samples(), narrow_rows))
      if (row_class_of({}, row.shape, true) == kNarrowBoth && (row.shape.k + 1) % 64 != 0)
        shapes.insert(row.shape);
    return shapes.size();
  };
  EXPECT_GT(both(true), 50U);
  EXPECT_EQ(both(false), 0U);
}

TEST(AnchorPlan, RefusesAnEmptySpace) { EXPECT_THROW(plan_anchors({}, {}, {}), InvalidInput); }

}  // namespace
}  // namespace warploom
