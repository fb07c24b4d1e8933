#include "warploom/tuned_files/looked_up_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

std::vector<TunedFile> files_of(MoeEngine engine, const std::string& model, const char* gpu,
                                const Sharding& sharding = {}, const char* scheme = "") {
  const GpuCatalog catalog;
  const EngineRelease release = engine_release(engine, "");
  ModelArchitecture known = load_model(model);
  if (*scheme != 0) known = quantize_linears(known, parse_enum<MatmulScheme>(scheme, "scheme"));
  return looked_up_files({release, known, sharding, catalog.get(gpu)});
}

const TunedFile* named(const std::vector<TunedFile>& files, const std::string& name) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const TunedFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

TEST(LookedUpFiles, VllmAsksForExpertsByTheFamilyAndForProductsByTheDevice) {
  const auto files = files_of(MoeEngine::Vllm, "Qwen/Qwen3-30B-A3B-FP8", "h200_nvl");
  const TunedFile* experts =
      named(files, "E=128,N=768,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json");
  ASSERT_NE(experts, nullptr);
  EXPECT_EQ(experts->variable, "VLLM_TUNED_CONFIG_FOLDER");
  EXPECT_EQ(experts->package_folder, "vllm/model_executor/layers/fused_moe/configs");
  ASSERT_TRUE(experts->layer);
  EXPECT_EQ(experts->layer->block_k, 128);
  const TunedFile* output =
      named(files, "N=2048,K=4096,device_name=NVIDIA_H200_NVL,dtype=fp8_w8a8,block_shape=[128,128].json");
  ASSERT_NE(output, nullptr);
  EXPECT_EQ(output->variable, "") << "the package alone is read";
  EXPECT_FALSE(output->ships());
}

TEST(LookedUpFiles, SglangHasABlankInBlocksAndAFolderForEachTriton) {
  const auto files = files_of(MoeEngine::Sglang, "Qwen/Qwen3-30B-A3B-FP8", "h200_sxm");
  const TunedFile* experts =
      named(files, "E=128,N=768,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json");
  ASSERT_NE(experts, nullptr);
  EXPECT_EQ(experts->user_folder, "configs/triton_3_8_0");
  EXPECT_NE(
      named(files, "E=128,N=768,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128]_down.json"),
      nullptr);
  EXPECT_NE(named(files, "N=2048,K=4096,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json"),
            nullptr);
}

TEST(LookedUpFiles, WhatShipsIsFoundInTheRelease) {
  const Sharding eight{.tensor_parallel = 8};
  const auto files = files_of(MoeEngine::Vllm, "DeepSeek-V3", "h200_sxm", eight);
  const TunedFile* experts =
      named(files, "E=256,N=256,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json");
  ASSERT_NE(experts, nullptr);
  EXPECT_TRUE(experts->ships());
  const auto shipping = [&](TunedKernel kernel) {
    return std::count_if(files.begin(), files.end(),
                         [&](const TunedFile& file) { return file.kernel == kernel && file.ships(); });
  };
  EXPECT_GE(shipping(TunedKernel::BlockProduct), 3);
  EXPECT_EQ(shipping(TunedKernel::Lora), 0) << "no release has files of adapters";
}

TEST(LookedUpFiles, SglangJoinsSharedExpertsOfTheSameWidth) {
  const Sharding eight{.tensor_parallel = 8};
  const auto files = files_of(MoeEngine::Sglang, "DeepSeek-V3", "h200_sxm", eight);
  const TunedFile* joined =
      named(files, "E=257,N=256,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json");
  ASSERT_NE(joined, nullptr);
  EXPECT_TRUE(joined->ships());
  EXPECT_EQ(joined->layer->top_k, 9);
}

TEST(LookedUpFiles, NamesAreUniqueAndPlainModelsAskForNoProducts) {
  const auto files = files_of(MoeEngine::Vllm, "Qwen/Qwen3-8B", "l40s");
  std::set<std::string> names;
  for (const TunedFile& file : files) {
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
    EXPECT_EQ(file.kernel, TunedKernel::Lora) << file.name;
  }
  EXPECT_NE(named(files, "NVIDIA_L40S_EXPAND_TRUE.json"), nullptr);
  const auto narrow = files_of(MoeEngine::Sglang, "Qwen/Qwen3-8B", "l40s", {}, "fp8_block");
  EXPECT_EQ(narrow.size(), 4U) << "four products of a layer";
  for (const TunedFile& file : narrow) EXPECT_EQ(file.opened, "always") << file.name;
}

TEST(LookedUpFiles, WhatIsNotKnownIsRefused) {
  EXPECT_THROW(engine_release(MoeEngine::Vllm, "0.32.0"), Unsupported);
  EXPECT_EQ(engine_release(MoeEngine::Vllm, "0.33.0").version, "0.33.0");
  EXPECT_EQ(engine_release(MoeEngine::Sglang, "").version, "0.5.23");
  const EngineRelease release = engine_release(MoeEngine::Vllm, "");
  GpuSpec unnamed = GpuCatalog().get("h100_sxm");
  unnamed.device_name.clear();
  EXPECT_THROW(looked_up_files({release, load_model("Qwen/Qwen3-30B-A3B"), {}, unnamed}), Unsupported);
}

}  // namespace
}  // namespace warploom
