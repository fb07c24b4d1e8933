// Models of sparse, linear and compressed attention: sizes and caches, each by hand from its config.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "warploom/base/json.h"
#include "warploom/models/contains_text.h"
#include "warploom/models/hf_config.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

double full_bytes(const char* name, std::optional<DataType> cache = std::nullopt) {
  return kv_footprint(load_model(name), {}, cache).full_per_token.value();
}
double state_bytes(const char* name) { return kv_footprint(load_model(name), {}).per_request.value(); }

// 61 layers keep a latent of 512 + 64 elements and an fp8 index key of 128 elements with a scale of 4 bytes.
// An fp8 latent keeps 4 scales of 4 bytes and its 64 rotating elements in 16 bits.
TEST(SparseCaches, DeepSeekV32) {
  EXPECT_DOUBLE_EQ(full_bytes("deepseek-ai/DeepSeek-V3.2"), 61 * (576 * 2 + 132));
  EXPECT_DOUBLE_EQ(full_bytes("deepseek-ai/DeepSeek-V3.2", DataType::Fp8), 61 * (656 + 132));
}

// The same latents in 78 layers, of which 21 have an indexer.
TEST(SparseCaches, Glm52SharesIndexers) {
  EXPECT_DOUBLE_EQ(full_bytes("zai-org/GLM-5"), 78 * (576 * 2 + 132));
  EXPECT_DOUBLE_EQ(full_bytes("zai-org/GLM-5.2"), 78 * 576 * 2 + 21 * 132);
}

// 11 layers keep a latent of 512 elements, without a rotating part, and a pooled index key for 4 tokens; 34
// layers keep 64 states of 128 x 128 in fp32 and three convolutions of 3 tokens x 8,192 channels.
TEST(SparseCaches, Glm53Flash) {
  EXPECT_DOUBLE_EQ(full_bytes("zai-org/GLM-5.3-Flash"), 11 * (512 * 2 + 132.0 / 4));
  EXPECT_DOUBLE_EQ(state_bytes("zai-org/GLM-5.3-Flash"), 34 * (64 * 128 * 128 * 4 + 3 * 8192 * 3 * 2));
}

// Entries have 448 fp8 elements, 64 of 16 bits and 8 bytes of scales: 584. 30 layers keep one for 4 tokens
// with an index key of 132 bytes, 31 one for 128. All keep the last 128 tokens, and those that wait to be
// compressed: keys and scores in fp32, of 8 tokens twice 512 + 128 wide, or of 128 tokens 512 wide.
TEST(SparseCaches, DeepSeekV4Pro) {
  EXPECT_DOUBLE_EQ(full_bytes("deepseek-ai/DeepSeek-V4-Pro"), 30 * (584 + 132) / 4.0 + 31 * 584 / 128.0);
  EXPECT_DOUBLE_EQ(state_bytes("deepseek-ai/DeepSeek-V4-Pro"),
                   61 * 128 * 584 + 30 * 8 * 2 * (512 + 128) * 8.0 + 31 * 128 * 512 * 8.0);
}

// 21 layers of ratio 4, 20 of 128, two of the window alone.
TEST(SparseCaches, DeepSeekV4Flash) {
  EXPECT_DOUBLE_EQ(full_bytes("deepseek-ai/DeepSeek-V4-Flash"), 21 * (584 + 132) / 4.0 + 20 * 584 / 128.0);
}

// Four layers keep entries that all others read: three of ratio 2 and one of ratio 1, each with an fp4 index
// key of 64 bytes and 4 of scales.
TEST(SparseCaches, DeepSeekV41Flash) {
  EXPECT_DOUBLE_EQ(full_bytes("deepseek-ai/DeepSeek-V4.1-Flash"), 3 * (584 + 68) / 2.0 + (584 + 68));
  EXPECT_DOUBLE_EQ(state_bytes("deepseek-ai/DeepSeek-V4.1-Flash"), 40 * 128 * 584 + 3 * 2 * 512 * 8.0);
}

// 60 layers keep 4 heads of 128 for keys and values, 57 of them one index key of 128 elements of 16 bits.
TEST(SparseCaches, MiniMaxM3) {
  EXPECT_DOUBLE_EQ(full_bytes("MiniMaxAI/MiniMax-M3"), 60 * 2 * 4 * 128 * 2 + 57 * 128 * 2);
}

// 24 layers keep latents, 69 keep 96 states of 128 x 128 in fp32 and three convolutions of 3 tokens x 12,288.
TEST(SparseCaches, KimiK3) {
  EXPECT_DOUBLE_EQ(full_bytes("moonshotai/Kimi-K3"), 24 * 576 * 2);
  EXPECT_DOUBLE_EQ(state_bytes("moonshotai/Kimi-K3"), 69.0 * (96 * 128 * 128 * 4 + 3 * 12288 * 3 * 2));
}

// 8 of 88 blocks attend with 2 heads of 128. 40 keep 128 heads x 64 x 128 in fp32, and the convolution of 3
// tokens over 8,192 values and 2 x 8 groups of 128. The cache of this checkpoint is fp8.
TEST(SparseCaches, Nemotron3Super) {
  EXPECT_DOUBLE_EQ(full_bytes("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4"), 8 * 2 * 2 * 128);
  EXPECT_DOUBLE_EQ(state_bytes("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4"),
                   40 * (128 * 64 * 128 * 4 + (8192 + 2048) * 3 * 2));
}

// 23 of 92 layers attend with 4 heads of 256; 69 keep 128 states of 128 x 128 in fp32, as the config asks.
TEST(SparseCaches, Qwen38) {
  EXPECT_DOUBLE_EQ(full_bytes("Qwen/Qwen3.8-2.4T-A95B"), 23 * 2 * 4 * 256 * 2);
  EXPECT_DOUBLE_EQ(state_bytes("Qwen/Qwen3.8-2.4T-A95B"),
                   69.0 * (128 * 128 * 128 * 4 + (2 * 2048 + 16384) * 3 * 2));
}

// 33 of 45 layers see 512 tokens; all keep 8 heads of 128.
TEST(SparseCaches, Step37Flash) {
  const KvFootprint kv = kv_footprint(load_model("stepfun-ai/Step-3.7-Flash"), {});
  EXPECT_DOUBLE_EQ(kv.full_per_token.value(), 12 * 2 * 8 * 128 * 2);
  EXPECT_DOUBLE_EQ(kv.windowed_per_token.value(), 33 * 2 * 8 * 128 * 2);
  EXPECT_EQ(kv.window, 512);
}

TEST(SparseModels, StatesAndWindowsTakeBlocksOfEachRequest) {
  const ModelArchitecture model = load_model("deepseek-ai/DeepSeek-V4-Flash");
  const KvFootprint kv = kv_footprint(model, {.tensor_parallel = 8});
  const KvBlocks blocks = kv_blocks(kv, WindowedCache::Released, 256);
  EXPECT_EQ(blocks.layout.windowed, 0);
  EXPECT_DOUBLE_EQ(blocks.block.value(), 256 * kv.full_per_token.value());
  EXPECT_EQ(blocks.layout.state, std::int64_t(std::ceil(kv.per_request / blocks.block)));
}

Json config_of(const char* record) {
  return read_json_file(std::filesystem::path(WARPLOOM_SOURCE_DIR) / "data" / "models" / record)["config"];
}

TEST(SparseModels, RefusesChoicesBeyondTheLongestRequest) {
  const auto refusal = [](const Json& config) -> std::string {
    try {
      architecture_from_config(config, nullptr, "test/model", "config.json");
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  Json config = config_of("deepseek-v3.2.json");
  config["index_topk"] = 163'841;
  EXPECT_PRED2(contains_text, refusal(config), "'index_topk' is 163841, expected at most the 163840 tokens");
  config = config_of("deepseek-v4-flash.json");
  config["index_topk"] = 262'145;
  EXPECT_PRED2(contains_text, refusal(config), "'index_topk' is 262145, expected at most the 262144 entries");
  config = config_of("minimax-m3.json");
  config["sparse_attention_config"]["sparse_topk_blocks"] = 8193;
  EXPECT_PRED2(contains_text, refusal(config),
               "'sparse_topk_blocks' is 8193, expected at most the 8192 blocks");
  config = config_of("deepseek-v4-flash.json");
  config["compress_ratios"] = {4, 4};
  EXPECT_PRED2(contains_text, refusal(config), "'compress_ratios' has 2 entries");
  config = config_of("deepseek-v4.1-flash.json");
  config["text_config"]["engram_layer_ids"] = {1, 40};
  EXPECT_PRED2(contains_text, refusal(config), "'engram_layer_ids' holds 40, expected a layer from 0 to 39");
  config = config_of("nvidia-nemotron-3-super-120b-a12b-fp8.json");
  config["hybrid_override_pattern"] = "ME";
  EXPECT_PRED2(contains_text, refusal(config), "2 blocks are given for 'num_hidden_layers' 88");
}

}  // namespace
}  // namespace warploom
