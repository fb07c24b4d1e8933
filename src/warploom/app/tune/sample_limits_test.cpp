#include "warploom/app/tune/sample_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

std::filesystem::path anchors_file() {
  return std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner/gemm_anchors.csv.gz";
}

// The fixture's anchors with other times.
template <class Change>
std::string refusal_with(const Change& change) {
  const std::vector<std::filesystem::path> files{anchors_file()};
  std::vector<TileSample> rows = read_tile_samples(files).rows;
  change(rows);
  CsvWriter csv({"bm", "bn", "bk", "warps", "stages", "m", "n", "k", "median_us"});
  for (const TileSample& row : rows)
    csv.row({std::to_string(row.config.tile_m), std::to_string(row.config.tile_n),
             std::to_string(row.config.tile_k), std::to_string(row.config.warps),
             std::to_string(row.config.stages), std::to_string(row.shape.m), std::to_string(row.shape.n),
             std::to_string(row.shape.k), std::to_string(row.median_us)});
  const ScratchFolder folder;
  TuneFitRequest request;
  request.gpu = "h200_sxm";
  request.samples = {folder.write("samples.csv", csv.text())};
  try {
    (void)tune_fit(request);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(SampleLimits, TakesWhatWasMeasured) {
  TuneFitRequest request;
  request.gpu = "h200_sxm";
  request.samples = {anchors_file()};
  const TuneFitResult fit = tune_fit(request);
  EXPECT_EQ(fit.warning, "");
  EXPECT_EQ(fit.table.tier(), TableTier::Measured);
  EXPECT_EQ(refusal_with([](std::vector<TileSample>&) {}), "");
}

TEST(SampleLimits, RefusesTimesThatTheGpuCannotReach) {
  const auto scaled = [](double factor) {
    return [factor](std::vector<TileSample>& rows) {
      for (TileSample& row : rows) row.median_us *= factor;
    };
  };
  EXPECT_NE(refusal_with(scaled(1e-3)).find("shorter than h200_sxm can compute"), std::string::npos);
  EXPECT_NE(refusal_with([](std::vector<TileSample>& rows) {
              for (TileSample& row : rows) row.median_us = 10;
            }).find("expected microseconds"),
            std::string::npos);
}

TEST(SampleLimits, RefusesTimesThatFollowNothing) {
  EXPECT_NE(refusal_with([](std::vector<TileSample>& rows) {
              std::mt19937 random(7);
              std::uniform_real_distribution<double> any(3e4, 3e5);
              for (TileSample& row : rows) row.median_us = any(random);
            }).find("do not follow the kernel's work"),
            std::string::npos);
}

TEST(SampleLimits, WarnsBetweenTheLimits) {
  EXPECT_EQ(fit_warning(0.95, 10), "");
  EXPECT_EQ(fit_warning(-3, 0), "");
  EXPECT_NE(fit_warning(0.7, 10).find("cross_gpu"), std::string::npos);
  EXPECT_THROW(fit_warning(0.2, 10), InvalidInput);
}

TEST(SampleLimits, WarnsOfTimesInNanoseconds) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h200_sxm");
  const std::vector<std::filesystem::path> files{anchors_file()};
  std::vector<TileSample> rows = read_tile_samples(files).rows;
  EXPECT_EQ(slowness_warning({}, gpu, rows), "");
  for (TileSample& row : rows) row.median_us *= 1e3;
  EXPECT_NE(slowness_warning({}, gpu, rows).find("expected microseconds"), std::string::npos);
}

TEST(SampleLimits, BoundsProductsByTheHighestClock) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h200_sxm");
  // 137.4 GFLOP at 4,096 FLOP a clock, 132 SMs and 1.98 GHz.
  EXPECT_NEAR(least_us({}, {4096, 4096, 4096}, gpu), 128.4, 1);
  EXPECT_EQ(least_us({.kind = TileKernelKind::PagedDecode}, {8, 1024, 32}, gpu), 0);
}

}  // namespace
}  // namespace warploom
