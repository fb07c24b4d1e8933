#include "warploom/fused_moe/config_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/fused_moe/device_name.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

const MoeLayer kLayer{.experts = 128, .top_k = 8, .hidden = 2048, .intermediate = 768};

TEST(ConfigTable, RowsAreNeverExpectedToBeSlowerThanTheDefault) {
  const GpuCatalog catalog;
  const ConfigModel model;
  for (const char* name : {"h200_sxm", "a40", "b200_sxm"})
    for (const MoeEngine engine : {MoeEngine::Vllm, MoeEngine::Sglang}) {
      const GpuSpec& gpu = catalog.get(name);
      const MoeConfigTable table = predicted_configs(kLayer, engine, gpu, model);
      ASSERT_EQ(table.rows.size(), kMoeLadder.size());
      EXPECT_EQ(table.tier, Tier::CrossGpu);
      for (const MoeConfigRow& row : table.rows) {
        EXPECT_TRUE(may_run(row.config, gpu));
        EXPECT_EQ(row.is_default, row.config == row.engine_default);
        EXPECT_GE(row.speedup, 1);
        EXPECT_GE(row.speedup, row.speedup_p10);
        EXPECT_GE(row.speedup_p90, row.speedup);
        if (row.is_default) {
          EXPECT_EQ(row.speedup, 1);
        }
      }
    }
}

TEST(ConfigTable, SidecarComesBackAndTheEnginesFileHasTheirKeys) {
  const GpuCatalog catalog;
  const MoeConfigTable table =
      predicted_configs(kLayer, MoeEngine::Sglang, catalog.get("h200_sxm"), ConfigModel());
  const Json sidecar = sidecar_json(table);
  EXPECT_EQ(sidecar["tier"], "cross_gpu");
  EXPECT_EQ(sidecar_json(moe_config_from_json(sidecar, "test")), sidecar);
  const Json engine = engine_json(table.rows);
  ASSERT_EQ(engine.size(), kMoeLadder.size());
  for (const std::int64_t tokens : kMoeLadder) {
    const Json& row = engine[std::to_string(tokens)];
    EXPECT_EQ(row.size(), 6U);
    for (const char* key :
         {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages"})
      EXPECT_TRUE(row[key].is_number_integer()) << key;
  }
  EXPECT_THROW(moe_config_from_json(engine, "test"), InvalidInput);
  Json broken = sidecar;
  broken["rows"]["64"]["config"].erase("num_warps");
  EXPECT_THROW(moe_config_from_json(broken, "test"), InvalidInput);
  broken = sidecar;
  broken["version"] = 99;
  EXPECT_THROW(moe_config_from_json(broken, "test"), Unsupported);
}

TEST(ConfigTable, RefusesWeightsThatNoSearchCovers) {
  const GpuCatalog catalog;
  MoeLayer layer = kLayer;
  layer.dtype = MoeDtype::Fp8W8A8;
  EXPECT_THROW(predicted_configs(layer, MoeEngine::Vllm, catalog.get("h200_sxm"), ConfigModel()),
               Unsupported);
}

TEST(ConfigModel, FileComesBackAndDamageIsRefused) {
  const ConfigModel model;
  const std::string bytes = config_model_to_bytes(model.record());
  EXPECT_EQ(config_model_to_bytes(config_model_from_bytes(bytes, "test")), bytes);
  EXPECT_TRUE(std::is_sorted(model.record().candidates.begin(), model.record().candidates.end()));
  EXPECT_LT(model.record().residual_p10, 0);
  EXPECT_GT(model.record().residual_p90, 0);
  for (const std::size_t place : {std::size_t(30), bytes.size() / 2, bytes.size() - 4}) {
    std::string damaged = bytes;
    damaged[place] = char(damaged[place] ^ 2);
    EXPECT_THROW(config_model_from_bytes(damaged, "test"), InvalidInput) << place;
  }
  EXPECT_THROW(config_model_from_bytes("WLCEILNG and some more bytes", "test"), InvalidInput);
}

TEST(DeviceName, IsTheDriversWhereKnown) {
  const GpuCatalog catalog;
  const auto vllm = [](const GpuSpec& gpu, NamedFiles files = NamedFiles::Experts) {
    return engine_device_name(gpu, MoeEngine::Vllm, files);
  };
  EXPECT_EQ(vllm(catalog.get("h100_sxm")), "NVIDIA_H100_80GB_HBM3");
  EXPECT_EQ(vllm(catalog.get("mi300x")), "AMD_Instinct_MI300X");
  EXPECT_EQ(vllm({.device_name = "NVIDIA GeForce RTX 9"}), "NVIDIA_GeForce_RTX_9");
  EXPECT_EQ(vllm({.device_name = "AMD  Instinct MI350 / MI355"}), "AMD_Instinct_MI350_MI355");
  EXPECT_EQ(vllm(catalog.get("h200_nvl")), "NVIDIA_H200");
  EXPECT_EQ(vllm(catalog.get("h200_nvl"), NamedFiles::Others), "NVIDIA_H200_NVL");
  EXPECT_EQ(vllm(catalog.get("gh200")), "NVIDIA_GH200_480GB") << "a word of its own alone counts";
  EXPECT_EQ(engine_device_name(catalog.get("h200_nvl"), MoeEngine::Sglang), "NVIDIA_H200_NVL");
  EXPECT_EQ(engine_device_name({.device_name = "A  B/C"}, MoeEngine::Sglang), "A__B/C");
  EXPECT_THROW(vllm({.name = "mine"}), Unsupported);
}

}  // namespace
}  // namespace warploom
