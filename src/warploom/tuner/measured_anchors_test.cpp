// The whole path on stored H200 measurements: fit on anchors, pick, judge against exhaustive times.
#include <gtest/gtest.h>

#include <filesystem>

#include "warploom/tuner/regret.h"
#include "warploom/tuner/runtime_table.h"

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

}  // namespace
}  // namespace warploom
