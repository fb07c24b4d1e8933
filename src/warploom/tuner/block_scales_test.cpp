#include "warploom/tuner/block_scales.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/modelled_times.h"
#include "warploom/tuner/record_model.h"

namespace warploom {
namespace {

const TileKernel kProduct{.operand_bytes = 1, .group_rows = 32};

WaveModel plain_model(const GpuSpec& gpu) {
  return model_from_record(kProduct, gpu,
                           legal_space(kProduct, TileGpu::from(gpu), default_axes(kProduct.kind)));
}

TEST(BlockScales, CostTimeAndRegisters) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  const WaveModel plain = plain_model(gpu);
  WaveModel scaled = plain;
  add_block_scales(scaled, gpu, 128);
  ASSERT_LT(scaled.configs.size(), plain.configs.size());
  const TileShape shape{1024, 4096, 4096};
  const auto before = modelled_times(plain, shape), after = modelled_times(scaled, shape);
  double slower = 0;
  for (std::size_t i = 0; i < scaled.configs.size(); ++i) {
    const FittedConfig& one = scaled.configs[i];
    EXPECT_EQ(one.config.tile_k, 128) << "its steps are whole blocks";
    const auto same = std::find_if(plain.configs.begin(), plain.configs.end(),
                                   [&](const FittedConfig& other) { return other.config == one.config; });
    ASSERT_NE(same, plain.configs.end());
    EXPECT_GT(one.coefficients.latency_base, same->coefficients.latency_base) << config_text(one.config);
    EXPECT_GT(one.coefficients.math, same->coefficients.math) << config_text(one.config);
    EXPECT_LE(one.coefficients.slots, same->coefficients.slots) << config_text(one.config);
    slower += std::log(after[i] / before[std::size_t(same - plain.configs.begin())]);
  }
  EXPECT_GT(slower / double(scaled.configs.size()), 0.05);
  const auto has = [&](const TileConfig& config) {
    return std::any_of(scaled.configs.begin(), scaled.configs.end(),
                       [&](const FittedConfig& one) { return one.config == config; });
  };
  EXPECT_TRUE(has({.tile_m = 64, .tile_n = 128, .tile_k = 128, .warps = 4, .stages = 3}));
  EXPECT_FALSE(has({.tile_m = 128, .tile_n = 128, .tile_k = 128, .warps = 4, .stages = 3}))
      << "two sums of 128 elements a thread";
}

TEST(BlockScales, StepsMayBePartsOfABlockWhereWarpsMultiply) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("l40s");
  WaveModel scaled = plain_model(gpu);
  add_block_scales(scaled, gpu, 128);
  const auto with = [&](int step) {
    return std::any_of(scaled.configs.begin(), scaled.configs.end(),
                       [&](const FittedConfig& one) { return one.config.tile_k == step; });
  };
  EXPECT_TRUE(with(64));
  EXPECT_TRUE(with(128));
  for (const FittedConfig& one : scaled.configs) EXPECT_EQ(128 % one.config.tile_k, 0);
}

TEST(BlockScales, AStepDoesNotCrossABlock) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  WaveModel narrow = plain_model(gpu);
  add_block_scales(narrow, gpu, 64);
  for (const FittedConfig& one : narrow.configs) EXPECT_LE(one.config.tile_k, 64);
  WaveModel none = plain_model(gpu);
  EXPECT_THROW(add_block_scales(none, gpu, 16), InvalidInput);
}

TEST(ModelledTimes, AreThoseOfTheModel) {
  const GpuCatalog catalog;
  const WaveModel model = plain_model(catalog.get("l40s"));
  const TileShape shape{77, 4096, 1024};
  const auto times = modelled_times(model, shape);
  ASSERT_EQ(times.size(), model.configs.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_FLOAT_EQ(float(times[i]), float(predict_us(model, i, shape)));
}

TEST(KnownModel, FormulasOfOneGpuMoveWithItsRates) {
  const GpuCatalog catalog;
  KnownFormula formula{.slots = 2, .point = {}, .held = {}};
  const TileConfig config{.tile_m = 64, .tile_n = 64, .tile_k = 64, .warps = 4, .stages = 3};
  const GpuSpec &h200 = catalog.get("h200_sxm"), &l40s = catalog.get("l40s");
  const WaveModel same = known_model({}, {{config, formula}}, h200, h200);
  ASSERT_EQ(same.configs.size(), 1U);
  EXPECT_FLOAT_EQ(same.configs[0].coefficients.math, 1) << "exp(0)";
  const WaveModel moved = known_model({}, {{config, formula}}, h200, l40s);
  EXPECT_GT(moved.configs[0].coefficients.dram, same.configs[0].coefficients.dram * 4);
}

}  // namespace
}  // namespace warploom
