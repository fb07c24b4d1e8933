#include "warploom/tuner/record_model.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/regret.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {
namespace {

const TileConfig kLarge{128, 128, 64, 8, 3, 1};

std::size_t place_of(const WaveModel& model, const TileConfig& config) {
  for (std::size_t i = 0; i < model.configs.size(); ++i)
    if (model.configs[i].config == config) return i;
  return model.configs.size();
}

// Judged on a GPU of which nothing but its record was used.
RegretSummary judged(const TileKernel& kernel, const std::string& oracle, const TileConfig& fallback) {
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.load_gpu("h200_sxm");
  const auto space = legal_space(kernel, TileGpu::from(gpu), default_axes(kernel.kind));
  const RuntimeTable table = RuntimeTable::build(model_from_record(kernel, gpu, space),
                                                 {.default_config = fallback, .tier = TableTier::CrossGpu});
  EXPECT_EQ(RuntimeTable::from_bytes(table.bytes(), "here").tier(), TableTier::CrossGpu);
  const std::vector<std::filesystem::path> files{std::filesystem::path(WARPLOOM_SOURCE_DIR) /
                                                 "tests/fixtures/tuner" / (oracle + "_exhaustive.csv.gz")};
  return summarize(regret_of(table, oracle_shapes(read_tile_samples(files))));
}

TEST(RecordModel, GemmBeatsTheDefaultWithoutAMeasurement) {
  const RegretSummary summary = judged({}, "gemm", kLarge);
  EXPECT_GT(summary.geo_mean_share, 0.88);
  EXPECT_GT(*summary.geo_mean_speedup, 1.5);
}

TEST(RecordModel, AttentionBeatsTheDefaultWithoutAMeasurement) {
  const TileKernel kernel{.kind = TileKernelKind::Attention, .head_group = 4, .causal = true};
  const RegretSummary summary = judged(kernel, "attention", {128, 64, 64, 4, 3, 1});
  EXPECT_GT(summary.geo_mean_share, 0.88);
  EXPECT_GT(*summary.geo_mean_speedup, 2.5);
}

TEST(RecordModel, SlowerGpusTakeLonger) {
  GpuCatalog catalog;
  const std::vector<TileConfig> space{kLarge};
  const TileShape shape{8192, 8192, 8192};
  const double h200 = predict_us(model_from_record({}, catalog.load_gpu("h200_sxm"), space), 0, shape);
  const double a100 = predict_us(model_from_record({}, catalog.load_gpu("a100_sxm"), space), 0, shape);
  EXPECT_GT(a100, 1.8 * h200);
  // Never faster than the data sheet's 989 TFLOP/s.
  EXPECT_GT(h200, 2.0 * 8192 * 8192 * 8192 / 989e6);
}

TEST(RecordModel, ScalesAnotherGpusCoefficientsByWhatTheyStandFor) {
  GpuCatalog catalog;
  const GpuSpec &h200 = catalog.load_gpu("h200_sxm"), &a100 = catalog.load_gpu("a100_sxm");
  const std::vector<TileConfig> space{kLarge, {128, 256, 64, 8, 4, 1}};
  const WaveModel model = model_from_record({}, h200, space);
  const WaveModel same = scaled_model({}, model.configs, h200, h200);
  const TileShape shape{4096, 4096, 4096};
  EXPECT_NEAR(predict_us(same, 0, shape), predict_us(model, 0, shape), 1e-3);
  const WaveModel scaled = scaled_model({}, model.configs, h200, a100);
  // An A100's blocks have 163 KiB of shared memory, four stages of 128x256x64 take 192.
  ASSERT_EQ(scaled.configs.size(), 1U);
  EXPECT_NEAR(predict_us(scaled, 0, shape), predict_us(model_from_record({}, a100, {&kLarge, 1}), 0, shape),
              0.1 * predict_us(scaled, 0, shape));
  EXPECT_EQ(place_of(scaled, kLarge), 0U);
}

TEST(RecordModel, RefusesNothingToEstimate) {
  GpuCatalog catalog;
  EXPECT_THROW(model_from_record({}, catalog.load_gpu("h200_sxm"), {}), InvalidInput);
  const std::vector<TileConfig> space{kLarge};
  EXPECT_THROW(model_from_record({}, catalog.load_gpu("p100"), space), InvalidInput);
  EXPECT_THROW(scaled_model({}, {}, catalog.load_gpu("h200_sxm"), catalog.load_gpu("a100_sxm")),
               InvalidInput);
}

}  // namespace
}  // namespace warploom
