#include "warploom/tuned_files/sure_rows.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog known;
  return known;
}

std::vector<SureRow> rows_of(const BlockProduct& product, const char* gpu) {
  const TunedFile file{.kernel = TunedKernel::BlockProduct, .product = product};
  return sure_rows(file, MoeEngine::Vllm, catalog().get(gpu), ConfigModel());
}

void expect_sane(const SureRow& sure) {
  EXPECT_LE(sure.share.p10, sure.share.p50) << sure.row.tokens;
  EXPECT_LE(sure.share.p50, sure.share.p90) << sure.row.tokens;
  EXPECT_GT(sure.share.p10, 0) << sure.row.tokens;
  EXPECT_LE(sure.share.p90, 1) << sure.row.tokens;
  EXPECT_EQ(sure.row.is_default, sure.row.config == sure.row.engine_default) << sure.row.tokens;
  if (sure.row.is_default) {
    EXPECT_EQ(sure.row.speedup, 1) << sure.row.tokens;
  } else {
    EXPECT_GE(sure.row.speedup, 1) << sure.row.tokens;
  }
}

TEST(SureRows, StepsOfProductsDivideTheBlockOnEveryGpuWithFp8) {
  const BlockProduct product{.n = 4096, .k = 4096};
  for (const char* gpu : {"h100_sxm", "h200_sxm", "l40s", "rtx_4090", "b200_sxm"}) {
    const auto rows = rows_of(product, gpu);
    ASSERT_EQ(rows.size(), kMoeLadder.size());
    for (const SureRow& sure : rows) {
      expect_sane(sure);
      EXPECT_EQ(product.block_k % sure.row.config.tile.tile_k, 0) << gpu << " " << sure.row.tokens;
    }
  }
  EXPECT_THROW(rows_of(product, "a100_sxm"), InvalidInput);
}

TEST(SureRows, FewTokensLeaveTheDefaultsTallTile) {
  const auto rows = rows_of({.n = 24576, .k = 4096}, "h100_sxm");
  EXPECT_EQ(rows.front().row.engine_default,
            (MoeConfig{.tile = {.tile_m = 64, .tile_n = 128, .tile_k = 128, .warps = 4, .stages = 2},
                       .group_m = 32}));
  bool any = false;
  for (const SureRow& sure : rows) any = any || !sure.row.is_default;
  EXPECT_TRUE(any);
}

TEST(SureRows, ExpertsOfFp8AndOf16BitsHaveRowsOfTheLadder) {
  const ConfigModel searches;
  MoeLayer layer{.experts = 128, .top_k = 8, .hidden = 2048, .intermediate = 768};
  for (const bool narrow : {false, true}) {
    if (narrow) {
      layer.dtype = MoeDtype::Fp8W8A8;
      layer.block_n = layer.block_k = 128;
    }
    const auto rows = sure_rows({.layer = layer}, MoeEngine::Vllm, catalog().get("h100_sxm"), searches);
    ASSERT_EQ(rows.size(), kMoeLadder.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].row.tokens, kMoeLadder[i]);
      expect_sane(rows[i]);
    }
  }
}

TEST(SureRows, FilesHoldNumbersAsKeysAndNothingElse) {
  std::vector<MoeConfigRow> rows;
  for (const SureRow& sure : rows_of({.n = 4096, .k = 4096}, "l40s")) rows.push_back(sure.row);
  const Json file = engine_json(rows);
  ASSERT_EQ(file.size(), kMoeLadder.size());
  for (const auto& [key, config] : file.items()) {
    EXPECT_EQ(std::to_string(std::stoll(key)), key);
    for (const char* name :
         {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages"})
      EXPECT_TRUE(config[name].is_number_integer()) << key << " " << name;
    EXPECT_EQ(config.size(), 6U);
  }
}

}  // namespace
}  // namespace warploom
