// The look-up against a search of everything: a pick looks at a few configurations of one cell alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "warploom/base/random.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/tile_sample.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

TEST(BruteForcePick, TheTableLosesLittleToASearchOfAllConfigurations) {
  const std::vector<std::filesystem::path> anchors{std::filesystem::path(WARPLOOM_SOURCE_DIR) /
                                                   "tests/fixtures/tuner/gemm_anchors.csv.gz"};
  const RuntimeTable table = RuntimeTable::build(fit_wave_model({}, {}, read_tile_samples(anchors).rows));
  const std::vector<FittedConfig> all = table.configs();
  ASSERT_GT(all.size(), 50u);
  RandomStream random(3, "shapes");
  const auto size = [&] { return std::int64_t(std::exp(random.uniform(std::log(16), std::log(20'000)))); };
  constexpr int kShapes = 300;
  double lost = 0;
  for (int i = 0; i < kShapes; ++i) {
    const TileShape shape{size(), size(), size()};
    double least = INFINITY;
    for (const FittedConfig& one : all) least = std::min(least, *table.predict_us(shape, one.config));
    const TilePick pick = table.pick(shape);
    ASSERT_GE(pick.predicted_us, float(least) * 0.999999F);
    lost += std::log(double(pick.predicted_us) / least);
  }
  EXPECT_LT(lost / kShapes, 0.015);
}

}  // namespace
}  // namespace warploom
