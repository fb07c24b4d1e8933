#include "warploom/tuner/regret.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/tuner/shape_cells.h"

namespace warploom {
namespace {

const TileConfig kSmall{.tile_m = 16, .tile_n = 64, .tile_k = 64, .warps = 4, .stages = 3};
const TileConfig kLarge{.tile_m = 128, .tile_n = 128, .tile_k = 64, .warps = 8, .stages = 3};

// Two shapes: the small tile is best at the first (10 of 20 us), the large one at the second (30 of 60).
std::vector<OracleShape> two_shapes() {
  TileSamples samples;
  const TileShape few{16, 1024, 1024}, many{4096, 1024, 1024};
  samples.rows = {{.config = kSmall, .shape = few, .median_us = 10},
                  {.config = kLarge, .shape = few, .median_us = 20},
                  {.config = kSmall, .shape = few, .median_us = 99},  // a repeat
                  {.config = kSmall, .shape = many, .median_us = 60},
                  {.config = kLarge, .shape = many, .median_us = 30}};
  return oracle_shapes(samples);
}

TEST(Regret, GroupsByShapeAndKeepsTheFirstOfRepeats) {
  const std::vector<OracleShape> shapes = two_shapes();
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].samples.size(), 2U);
  EXPECT_EQ(shapes[0].best().config, kSmall);
  EXPECT_DOUBLE_EQ(*shapes[0].time_of(kSmall), 10);
  EXPECT_FALSE(shapes[0].time_of({.tile_m = 256}).has_value());
}

TEST(Regret, MeasuresWhatAChooserLoses) {
  const std::vector<OracleShape> shapes = two_shapes();
  // Says of every configuration that it takes as long as its tile is tall: always the small one.
  const Chooser always_small = [](const OracleShape& shape) {
    std::vector<double> times;
    for (const TileSample& sample : shape.samples) times.push_back(sample.config.tile_m);
    return times;
  };
  const RegretSummary summary = summarize(regret_of(shapes, always_small, kLarge));
  EXPECT_EQ(summary.shapes, 2U);
  EXPECT_DOUBLE_EQ(summary.worst_share, 0.5);
  EXPECT_NEAR(summary.geo_mean_share, std::sqrt(0.5), 1e-12);
  // Against the large tile: twice as fast at the first shape, half as fast at the second.
  EXPECT_NEAR(*summary.geo_mean_speedup, 1, 1e-12);
  EXPECT_DOUBLE_EQ(*summary.best_speedup, 2);
  EXPECT_DOUBLE_EQ(*summary.worst_speedup, 0.5);
}

TEST(Regret, NearestShapeTakesItsBest) {
  const std::vector<OracleShape> shapes = two_shapes();
  for (const ShapeRegret& row : nearest_shape_regret(shapes, shapes, kLarge)) EXPECT_EQ(row.share(), 1);
}

TEST(ShapeCells, EveryCellHoldsItsOwnCorners) {
  const ShapeCells grid = ShapeCells::of(TileKernelKind::Gemm);
  for (int index = 0; index < 60; ++index) {
    EXPECT_EQ(half_octave(half_octave_start(index)), index);
    EXPECT_EQ(half_octave(half_octave_start(index + 1) - 1), index);
  }
  // A power of two closes its cell: one more row begins the next tile.
  EXPECT_EQ(grid.cell({97, 1024, 1024}), grid.cell({128, 1024, 1024}));
  EXPECT_NE(grid.cell({128, 1024, 1024}), grid.cell({129, 1024, 1024}));
  EXPECT_NE(grid.cell({1, 1024, 1024}), grid.cell({2, 1024, 1024}));
  // Beyond the grid the outermost cell answers.
  EXPECT_LT(grid.cell({std::int64_t{1} << 30, 1, std::int64_t{1} << 30}), grid.size());
  EXPECT_EQ(grid.cell({64, 4, 1024}), grid.cell({64, 16, 1024}));
}

}  // namespace
}  // namespace warploom
