#include "warploom/tuner/pick_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/record_model.h"
#include "warploom/tuner/regret.h"

namespace warploom {
namespace {

constexpr TimeErrors kErrors{.tile = 0.10, .knob = 0.06};

// Shares of picks by the record alone, on a GPU whose measurements no constant of the record's model is from.
struct Covered {
  std::size_t shapes = 0, inside = 0, above_p10 = 0;
};

Covered covered(const char* file, const TileKernel& kernel) {
  const std::vector<std::filesystem::path> paths{std::filesystem::path(WARPLOOM_SOURCE_DIR) /
                                                 "tests/fixtures/tuner/h100" / file};
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  const WaveModel model =
      model_from_record(kernel, gpu, legal_space(kernel, TileGpu::from(gpu), default_axes(kernel.kind)));
  Covered found;
  for (const OracleShape& shape : oracle_shapes(read_tile_samples(paths))) {
    std::vector<TileConfig> configs;
    std::vector<double> log_times, measured;
    for (std::size_t i = 0; i < model.configs.size(); ++i) {
      const auto us = shape.time_of(model.configs[i].config);
      if (!us) continue;
      configs.push_back(model.configs[i].config);
      log_times.push_back(std::log(predict_us(model, i, shape.shape)));
      measured.push_back(*us);
    }
    const auto pick = std::size_t(std::min_element(log_times.begin(), log_times.end()) - log_times.begin());
    const double share = *std::min_element(measured.begin(), measured.end()) / measured[pick];
    const PickShare said = share_of_best(configs, log_times, pick, record_rules().plain);
    ++found.shapes;
    found.above_p10 += share >= said.p10 ? 1 : 0;
    found.inside += share >= said.p10 && share <= said.p90 ? 1 : 0;
  }
  return found;
}

TEST(PickShare, IntervalsHoldAsManySharesAsTheySay) {
  Covered all;
  const TileKernel grouped{.kind = TileKernelKind::GroupedGemm, .experts = 16, .top_k = 2};
  for (const auto& [file, kernel] : {std::pair{"gemm_judged.csv.gz", TileKernel{}},
                                     std::pair{"gemm_fp8_judged.csv.gz", TileKernel{.operand_bytes = 1}},
                                     std::pair{"grouped_judged.csv.gz", grouped}}) {
    const Covered one = covered(file, kernel);
    EXPECT_GT(one.shapes, 60U) << file;
    all.shapes += one.shapes;
    all.inside += one.inside;
    all.above_p10 += one.above_p10;
  }
  const double shapes = double(all.shapes);
  // 80 % and 90 % are meant; 196 shapes tell them to 3 points.
  EXPECT_NEAR(double(all.inside) / shapes, 0.8, 0.12);
  EXPECT_NEAR(double(all.above_p10) / shapes, 0.9, 0.06);
}

TEST(PickShare, TheOnlyTileIsTheBestAndTwinsAreUncertain) {
  const std::vector<TileConfig> one{{.tile_m = 16}}, two{{.tile_m = 16}, {.tile_m = 32}};
  EXPECT_EQ(share_of_best(one, std::vector<double>{1.0}, 0, kErrors).p10, 1);
  const PickShare twins = share_of_best(two, std::vector<double>{1.0, 1.0}, 0, kErrors);
  EXPECT_LT(twins.p10, 0.95);
  EXPECT_EQ(twins.p90, 1);
  EXPECT_EQ(share_of_best(two, std::vector<double>{1.0, 2.0}, 0, kErrors).p10, 1);
}

TEST(PickShare, ATileNeedsMoreThanAKnob) {
  const TileConfig usual{.tile_m = 64}, knob{.tile_m = 64, .stages = 4}, tile{.tile_m = 32};
  EXPECT_TRUE(clearly_faster(0.1, knob, usual, kErrors));
  EXPECT_FALSE(clearly_faster(0.1, tile, usual, kErrors));
  EXPECT_TRUE(clearly_faster(0.2, tile, usual, kErrors));
  EXPECT_FALSE(clearly_faster(0, knob, usual, kErrors));
}

}  // namespace
}  // namespace warploom
