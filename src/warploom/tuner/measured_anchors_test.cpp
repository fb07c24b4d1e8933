// The whole path on stored H200 measurements: fit on anchors, pick, judge against exhaustive times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "warploom/tuner/anchor_plan.h"
#include "warploom/tuner/regret.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/tile_mapping.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

RegretSummary judged(const TileKernel& kernel, const std::string& name, const TileConfig& fallback) {
  const std::filesystem::path folder = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner";
  const std::vector<std::filesystem::path> anchors{folder / (name + "_anchors.csv.gz")};
  const std::vector<std::filesystem::path> oracle{folder / (name + "_exhaustive.csv.gz")};
  const WaveModel model = fit_wave_model(kernel, {}, read_tile_samples(anchors).rows);
  const RuntimeTable table = RuntimeTable::build(model, {.default_config = fallback});
  EXPECT_LE(table.bytes().size(), std::size_t{1} << 20);
  return summarize(regret_of(table, oracle_shapes(read_tile_samples(oracle))));
}

TEST(MeasuredAnchors, GemmPicksStayNearTheBest) {
  const RegretSummary summary = judged({}, "gemm", {128, 128, 64, 8, 3, 1});
  EXPECT_GE(summary.shapes, 150U);
  EXPECT_GT(summary.geo_mean_share, 0.97);
  EXPECT_GT(summary.worst_share, 0.8);
  EXPECT_GT(*summary.geo_mean_speedup, 1.5);
}

TEST(MeasuredAnchors, GroupedGemmPicksStayNearTheBest) {
  const TileKernel kernel{.name = "grouped", .kind = TileKernelKind::GroupedGemm, .experts = 16, .top_k = 2};
  const RegretSummary summary = judged(kernel, "grouped", {64, 64, 32, 4, 3, 1});
  EXPECT_GT(summary.geo_mean_share, 0.96);
  EXPECT_GT(*summary.geo_mean_speedup, 1.15);
}

TEST(MeasuredAnchors, AttentionPicksStayNearTheBest) {
  const TileKernel kernel{
      .name = "attention", .kind = TileKernelKind::Attention, .head_group = 4, .causal = true};
  const RegretSummary summary = judged(kernel, "attention", {128, 64, 64, 4, 3, 1});
  EXPECT_GT(summary.geo_mean_share, 0.96);
  EXPECT_GT(*summary.geo_mean_speedup, 1.15);
}

TEST(MeasuredAnchors, TheErrorBoundHoldsBeyondTheSampledWaves) {
  const std::filesystem::path folder = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner";
  const std::vector<std::filesystem::path> anchors{folder / "gemm_anchors.csv.gz"};
  const std::vector<std::filesystem::path> oracle{folder / "gemm_exhaustive.csv.gz"};
  const WaveModel model = fit_wave_model({}, {}, read_tile_samples(anchors).rows);
  std::map<TileConfig, std::size_t> index;
  for (std::size_t i = 0; i < model.configs.size(); ++i) index[model.configs[i].config] = i;
  std::size_t beyond = 0, inside = 0;
  for (const TileSample& sample : read_tile_samples(oracle).rows) {
    const auto place = index.find(sample.config);
    if (place == index.end()) continue;
    const FittedConfig& fitted = model.configs[place->second];
    const TileWork work = tile_work({}, {}, sample.shape, sample.config);
    if (work.waves <= fitted.most_waves) continue;
    const double error = std::log(predict_us(model, place->second, sample.shape) / sample.median_us);
    ++beyond;
    inside += std::abs(error) <= error_bound(fitted, double(work.waves), double(work.iterations)) ? 1 : 0;
  }
  EXPECT_GT(beyond, 5000U);
  EXPECT_GT(double(inside), 0.88 * double(beyond));
}

// The anchors that the first round asks for, as they were measured.
TEST(MeasuredAnchors, ASecondRoundLeavesOutWhatCannotWin) {
  const std::filesystem::path folder = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner";
  const std::vector<std::filesystem::path> files{folder / "gemm_anchors.csv.gz"};
  const TileSamples all = read_tile_samples(files);
  std::set<TileConfig> space;
  for (const TileSample& sample : all.rows) space.insert(sample.config);
  const auto first = plan_first_round({}, {}, {space.begin(), space.end()});
  EXPECT_LT(first.size(), all.rows.size() / 4);
  std::vector<TileSample> measured;
  for (const TileSample& sample : all.rows)
    if (std::binary_search(first.begin(), first.end(), AnchorRow{sample.config, sample.shape}))
      measured.push_back(sample);
  EXPECT_EQ(measured.size(), first.size());
  std::set<TileConfig> left;
  for (const AnchorRow& row : plan_second_round({}, {}, measured)) {
    EXPECT_FALSE(std::binary_search(first.begin(), first.end(), row));
    left.insert(row.config);
  }
  EXPECT_LT(left.size(), space.size() * 9 / 10);
  EXPECT_GT(left.size(), space.size() / 4);
  // Whatever the exhaustive set found best most often is among them.
  const std::vector<std::filesystem::path> oracle{folder / "gemm_exhaustive.csv.gz"};
  std::size_t kept = 0, shapes = 0;
  for (const OracleShape& shape : oracle_shapes(read_tile_samples(oracle))) {
    kept += left.count(shape.best().config);
    ++shapes;
  }
  EXPECT_GT(kept, shapes * 95 / 100);
}

}  // namespace
}  // namespace warploom
