#include "warploom/models/memory_footprint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/json.h"
#include "warploom/models/contains_text.h"
#include "warploom/models/hf_config.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

struct Published {
  const char* model;
  double total, active;  // 1e9 parameters; active 0 = same as total
  double tolerance;
};

class PublishedCounts : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedCounts, AreMet) {
  const auto [name, total, active, tolerance] = GetParam();
  const ParameterCounts counts = parameter_counts(load_model(name));
  EXPECT_NEAR(counts.total * 1e-9 / total, 1.0, tolerance) << counts.total;
  EXPECT_NEAR(counts.active * 1e-9 / (active > 0 ? active : total), 1.0, 3 * tolerance) << counts.active;
}

// Active counts include both embedding tables, which some publishers leave out (MiniMax-M2.5: 10 of 11.0).
INSTANTIATE_TEST_SUITE_P(
    Models, PublishedCounts,
    ::testing::Values(
        Published{"Llama-3.1-8B", 8.03, 0, 0.001}, Published{"Llama-3.1-70B", 70.55, 0, 0.001},
        Published{"Llama-3.1-405B", 405.85, 0, 0.002}, Published{"Llama-3.2-1B", 1.236, 0, 0.002},
        Published{"Llama-2-7b-hf", 6.738, 0, 0.001}, Published{"Qwen2.5-14B", 14.77, 0, 0.002},
        Published{"Qwen3-32B", 32.76, 0, 0.002}, Published{"Qwen3-0.6B", 0.596, 0, 0.005},
        Published{"Qwen3-30B-A3B", 30.53, 3.35, 0.002}, Published{"Qwen3-235B-A22B", 235.1, 22.2, 0.005},
        Published{"Mixtral-8x7B-v0.1", 46.70, 12.88, 0.001},
        Published{"Mixtral-8x22B-v0.1", 140.6, 39.15, 0.002}, Published{"gpt-oss-120b", 116.8, 5.7, 0.01},
        Published{"gpt-oss-20b", 20.9, 4.2, 0.01}, Published{"DeepSeek-V3", 671.0, 37.5, 0.002},
        Published{"DeepSeek-V2-Lite", 15.7, 2.66, 0.01}, Published{"Kimi-K2-Instruct", 1026.0, 32.9, 0.01},
        Published{"MiniMax-M2.5", 228.7, 11.0, 0.01}, Published{"gemma-2-9b", 9.24, 0, 0.002},
        Published{"gemma-2-27b", 27.2, 0, 0.003}, Published{"gemma-3-27b-it", 27.0, 0, 0.01},
        Published{"phi-2", 2.78, 0, 0.005}, Published{"phi-4", 14.66, 0, 0.002},
        Published{"Mistral-7B-v0.3", 7.248, 0, 0.001}, Published{"Qwen-72B", 72.3, 0, 0.005},
        Published{"Qwen3-Next-80B-A3B-Instruct", 80.0, 3.9, 0.01},
        Published{"Llama-4-Scout-17B-16E-Instruct", 107.8, 17.2, 0.01},
        Published{"Llama-4-Maverick-17B-128E-Instruct", 400.7, 17.2, 0.01},
        Published{"gemma-4-26B-A4B", 25.2, 3.8, 0.01},
        Published{"nvidia/Gemma-4-31B-IT-NVFP4", 30.7, 0, 0.01},
        Published{"Llama-3_3-Nemotron-Super-49B-v1", 49.9, 0, 0.01},
        Published{"MiMo-V2-Flash", 309.0, 15.0, 0.01}, Published{"GLM-4.7", 353.0, 33.6, 0.02},
        Published{"Qwen3.5-397B-A17B", 397.0, 17.4, 0.01}));

// Published counts of sparse, linear and compressed models, the active ones with both embedding tables added
// where the publisher leaves them out (GLM-5: 40 + 1.9; MiniMax-M3: 23 + 2.5; Step-3.7-Flash: 11 + 1.1).
// MiniMax-M3's 428 hold its encoder of images, below 1 %. Nemotron 3 as is reported of NVIDIA's pages
// them: Nano 31.6 and 3.6, Super 120.6 and 12.7, Ultra 550 and 55.
INSTANTIATE_TEST_SUITE_P(
    SparseModels, PublishedCounts,
    ::testing::Values(Published{"deepseek-ai/DeepSeek-V3.2", 671.0, 37.5, 0.01},
                      Published{"deepseek-ai/DeepSeek-V4-Flash", 284.0, 13.5, 0.01},
                      Published{"zai-org/GLM-5", 744.0, 41.9, 0.01},
                      Published{"zai-org/GLM-5.2", 744.0, 41.9, 0.01},
                      Published{"MiniMaxAI/MiniMax-M3", 428.0, 25.5, 0.01},
                      Published{"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31.6, 3.6, 0.01},
                      Published{"nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4", 120.6, 12.7, 0.01},
                      Published{"nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", 550.0, 55.0, 0.01},
                      Published{"nvidia/Nemotron-H-56B-Base-8K", 56.3, 0, 0.01},
                      Published{"Qwen/Qwen3.5-27B", 27.0, 0, 0.01},
                      Published{"Qwen/Qwen3.5-35B-A3B", 35.0, 3.5, 0.01},
                      Published{"Qwen/Qwen3.5-122B-A10B", 122.0, 10.0, 0.01},
                      Published{"stepfun-ai/Step-3.7-Flash", 196.0, 12.1, 0.01}));

TEST(WeightFootprint, IsTwoBytesAParameterOfABf16Model) {
  const ModelArchitecture model = load_model("Llama-3.1-8B");
  EXPECT_NEAR(weight_bytes_per_gpu(model, {}).value(), 2 * parameter_counts(model).total, 1e6);
}

TEST(WeightFootprint, SplitsEvenlyButForNorms) {
  const ModelArchitecture model = load_model("Llama-3.1-70B");
  const double whole = weight_bytes_per_gpu(model, {}).value();
  EXPECT_NEAR(weight_bytes_per_gpu(model, {.tensor_parallel = 4}).value() / (whole / 4), 1.0, 1e-3);
  double stages = 0;
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    stages += weight_footprint(model, {.pipeline_parallel = 4}, stage).total().value();
  }
  EXPECT_NEAR(stages / whole, 1.0, 1e-4);
}

TEST(WeightFootprint, CountsQuantisedStorage) {
  const ModelArchitecture fp8 = load_model("Qwen3-32B-FP8");
  const double embeddings = 2.0 * 2.0 * 151936 * 5120;
  const double linears = parameter_counts(fp8).total - 2.0 * 151936 * 5120;
  EXPECT_NEAR(weight_bytes_per_gpu(fp8, {}).value() / (embeddings + linears), 1.0, 2e-3);
  EXPECT_DOUBLE_EQ(stored_bytes_per_element(MatmulScheme::Int4WeightOnly, 32), 0.5625);
  EXPECT_NEAR(to_gigabytes(weight_bytes_per_gpu(load_model("gpt-oss-120b"), {})), 65.0,
              2.0);  // checkpoint size
}

TEST(KvFootprint, MatchesClosedForms) {
  const ModelArchitecture llama = load_model("Llama-3.1-8B");
  EXPECT_DOUBLE_EQ(kv_footprint(llama, {}).per_token().value(), 32 * 2 * 8 * 128 * 2);
  EXPECT_DOUBLE_EQ(kv_footprint(llama, {}, DataType::Fp8).per_token().value(), 32 * 2 * 8 * 128);
  EXPECT_DOUBLE_EQ(kv_footprint(llama, {.tensor_parallel = 16}).per_token().value(), 32 * 2 * 1 * 128 * 2);
  const ModelArchitecture deepseek = load_model("DeepSeek-V3");
  EXPECT_DOUBLE_EQ(kv_footprint(deepseek, {}).per_token().value(), 61 * 576 * 2);
  EXPECT_DOUBLE_EQ(kv_footprint(deepseek, {.tensor_parallel = 8}).per_token().value(), 61 * 576 * 2);
}

TEST(KvFootprint, KeepsOnlyTheWindow) {
  const KvFootprint kv = kv_footprint(load_model("gpt-oss-120b"), {});
  const double per_layer = 2 * 8 * 64 * 2;
  EXPECT_EQ(kv.window, 128);
  EXPECT_DOUBLE_EQ(kv.of_request(100).value(), 36 * per_layer * 100);
  EXPECT_DOUBLE_EQ(kv.of_request(1000).value(), 18 * per_layer * 1000 + 18 * per_layer * 128);
}

// Every fifth or sixth layer is full. It has fewer heads, of 512 elements instead of 256; values are kept
// although their projection is that of the keys, since the norms of both differ.
TEST(KvFootprint, KeepsTheHeadsOfEachLayerOfGemma4) {
  const KvFootprint mixture = kv_footprint(load_model("gemma-4-26B-A4B"), {});
  EXPECT_DOUBLE_EQ(mixture.windowed_per_token.value(), 25 * 8 * (256 + 256) * 2);
  EXPECT_DOUBLE_EQ(mixture.full_per_token.value(), 5 * 2 * (512 + 512) * 2);
  EXPECT_DOUBLE_EQ(mixture.per_token().value(), 225'280);
  EXPECT_EQ(mixture.window, 1024);
  const ModelArchitecture dense = load_model("nvidia/Gemma-4-31B-IT-NVFP4");  // its cache is fp8
  const KvFootprint bytes = kv_footprint(dense, {}, DataType::Bf16);
  EXPECT_DOUBLE_EQ(bytes.windowed_per_token.value(), 50 * 16 * (256 + 256) * 2);
  EXPECT_DOUBLE_EQ(bytes.full_per_token.value(), 10 * 4 * (512 + 512) * 2);
  EXPECT_DOUBLE_EQ(bytes.per_token().value(), 901'120);
  EXPECT_DOUBLE_EQ(kv_footprint(dense, {}).per_token().value(), 450'560);
}

// 39 layers see 128 tokens with 8 KV heads, 9 all of them with 4; keys have 192 elements and values 128.
TEST(KvFootprint, KeepsKeysAndNarrowerValuesOfMimoV2) {
  const ModelArchitecture model = load_model("MiMo-V2-Flash");
  const KvFootprint kv = kv_footprint(model, {});
  EXPECT_DOUBLE_EQ(kv.windowed_per_token.value(), 39 * 8 * (192 + 128) * 2);
  EXPECT_DOUBLE_EQ(kv.full_per_token.value(), 9 * 4 * (192 + 128) * 2);
  EXPECT_DOUBLE_EQ(kv.per_token().value(), 222'720);
  EXPECT_EQ(kv.window, 128);
  // vLLM: five groups of nine layers, windowed ones filled up; a full layer keeps half as much of a token.
  const KvBlocks blocks = kv_blocks(kv, WindowedCache::Released, 16);
  EXPECT_EQ(blocks.layout.full, 1);
  EXPECT_EQ(blocks.layout.windowed, 5);
  EXPECT_EQ(blocks.layout.full_stretch, 2);
  EXPECT_DOUBLE_EQ(blocks.block.value(), 9 * 16 * 5120);
}

// 49 of 80 layers attend, with 64 / 8 KV heads each.
TEST(KvFootprint, LeavesOutLayersWithoutAttention) {
  const KvFootprint kv = kv_footprint(load_model("Llama-3_3-Nemotron-Super-49B-v1"), {});
  EXPECT_DOUBLE_EQ(kv.per_token().value(), 49 * 8 * (128 + 128) * 2);
  EXPECT_EQ(kv.full_layers, 49);
}

TEST(KvFootprint, HoldsStatesOfLinearLayers) {
  const KvFootprint kv = kv_footprint(load_model("Qwen3-Next-80B-A3B-Instruct"), {});
  EXPECT_DOUBLE_EQ(kv.full_per_token.value(), 12 * 2 * 2 * 256 * 2);
  EXPECT_DOUBLE_EQ(kv.per_request.value(), 36 * (32 * 128 * 128 + (2 * 16 * 128 + 32 * 128) * 3) * 2.0);
}

TEST(KvCapacity, FillsWhatWeightsLeave) {
  const ModelArchitecture model = load_model("Llama-3.1-8B");
  const KvCapacity capacity = kv_capacity(model, {}, gibibytes(80));
  ASSERT_TRUE(capacity.fits);
  EXPECT_EQ(capacity.tokens, capacity.blocks * 16);
  const double left = capacity.usable.value() - capacity.weights.value() - capacity.activations.value() -
                      capacity.reserve.value();
  EXPECT_NEAR(static_cast<double>(capacity.tokens) * 131072.0, left, 16 * 131072.0);
  EXPECT_GT(capacity.tokens, 420'000);  // vLLM logs 440 to 460 thousand on such a GPU
  EXPECT_LT(capacity.tokens, 470'000);
  EXPECT_GT(kv_capacity(model, {}, gibibytes(80), {.kv_cache = DataType::Fp8}).tokens,
            2 * capacity.tokens - 32);
}

// A row of DeepSeek-V3's experts: both halves of 2,048 columns, then 7,168, of two bytes each.
TEST(KvCapacity, RowsOfExpertsFollowFromWhatBringsTheirTokens) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  const Sharding wide{.expert_parallel = 72, .attention_data_parallel = 72, .redundant_experts = 32};
  const auto bytes = [&](ExpertRows rows) {
    return activation_bytes(model, wide, {.max_num_batched_tokens = 1000, .expert_rows = rows}).value();
  };
  constexpr double kRow = 2.0 * (2 * 2048 + 7168);
  const double own = bytes(ExpertRows::OfOwnExperts);
  EXPECT_DOUBLE_EQ(bytes(ExpertRows::OfAllGroups) - own, 1000 * kRow * 8 * 71);
  EXPECT_DOUBLE_EQ(bytes(ExpertRows::Reserved) - own, 1000 * kRow * (288 - 8));
  EXPECT_LT(bytes(ExpertRows::Elsewhere), own);
  EXPECT_FALSE(kv_capacity(model, wide, gibibytes(185), {.max_num_batched_tokens = 16384}).fits);
  EXPECT_TRUE(kv_capacity(model, wide, gibibytes(185),
                          {.max_num_batched_tokens = 16384, .expert_rows = ExpertRows::OfOwnExperts})
                  .fits);
}

// 62 layers, 52 of them with a window of 1,024 tokens: vLLM makes groups of ten.
TEST(KvCapacity, WindowedLayersGiveTheirBlocksBack) {
  const ModelArchitecture model = load_model("gemma-3-27b-it");
  const Bytes memory = gibibytes(141);
  const KvCapacity whole = kv_capacity(model, {}, memory);
  const KvCapacity released = kv_capacity(model, {}, memory, {.windowed = WindowedCache::Released});
  EXPECT_TRUE(whole.layout.even());
  EXPECT_EQ(released.layout.full, 1);
  EXPECT_EQ(released.layout.windowed, 6);
  EXPECT_EQ(released.layout.window, 1024);
  // At 8,192 tokens a request takes 1.2 GB instead of 4.2: three and a half times as many fit.
  const double block = released.kv_cache.value() / double(released.blocks);
  const std::int64_t blocks = released.layout.blocks(8192, 8192, 16);
  EXPECT_NEAR(double(blocks) * block, 1.18e9, 0.02e9);
  EXPECT_GT(released.blocks / blocks, 3 * (whole.tokens / 8192));
  const KvCapacity own = kv_capacity(model, {}, memory, {.windowed = WindowedCache::OwnPool});
  EXPECT_NEAR(double(own.tokens) / double(whole.tokens), 62.0 / (10 + 0.8 * 52), 0.001);
}

TEST(KvCapacity, StatesOfLinearLayersTakeBlocksOfEachRequest) {
  const ModelArchitecture model = load_model("Qwen3-Next-80B-A3B-Instruct");
  const KvCapacity capacity = kv_capacity(model, {.tensor_parallel = 2}, gibibytes(141));
  const KvFootprint kv = kv_footprint(model, {.tensor_parallel = 2});
  EXPECT_EQ(capacity.layout.state, std::int64_t(std::ceil(kv.per_request / (16.0 * kv.full_per_token))));
  EXPECT_GT(capacity.layout.state, 50);
}

// Twelve layers attend and 36 keep a state: vLLM makes three groups of states, and a block holds a state of
// each of twelve layers, or as many tokens as take no less.
TEST(KvCapacity, BlocksOfVllmHoldAStateOfAGroup) {
  const ModelArchitecture model = load_model("Qwen3-Next-80B-A3B-Instruct");
  const KvFootprint kv = kv_footprint(model, {});
  EXPECT_EQ(kv.state_layers, 36);
  EXPECT_DOUBLE_EQ(kv.widest_state.value(), kv.per_request.value() / 36);
  const KvBlocks blocks = kv_blocks(kv, WindowedCache::Released, 16);
  EXPECT_EQ(blocks.layout.full, 1);
  EXPECT_EQ(blocks.layout.state, 3);
  const double page = kv.full_per_token.value() / 12 * 16;
  EXPECT_EQ(blocks.layout.full_stretch, std::int64_t(std::ceil(kv.widest_state.value() / page)));
  EXPECT_DOUBLE_EQ(blocks.block.value(), 12 * page * double(blocks.layout.full_stretch));
  const std::int64_t held = 16 * blocks.layout.full_stretch;
  EXPECT_EQ(blocks.layout.blocks(held, 0, 16), 1 + 3);
  EXPECT_EQ(blocks.layout.blocks(held + 1, 0, 16), 2 + 3);
  EXPECT_EQ(blocks.layout.tokens(10, 16), 10 * held);
}

// Engines that logged their blocks, each given the bytes of its cache (tests/fixtures/engine/vllm_0_33_h200):
// vLLM 0.33.0, hybrid caches of states, windows and both sizes of heads, and a sparse latent cache.
struct LoggedEngine {
  const char* tag;
  const char* model;  // empty: its config stands beside the log
  std::int64_t block_size;
};
class LoggedBlocks : public ::testing::TestWithParam<LoggedEngine> {};

TEST_P(LoggedBlocks, AreMet) {
  const auto [tag, name, block_size] = GetParam();
  const std::filesystem::path folder =
      std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/engine/vllm_0_33_h200/steps";
  const Json log = read_json_file(folder / (std::string(tag) + "_steps.json"));
  const double bytes = std::stod(log["arguments"]["kv_cache_memory_bytes"].get<std::string>());
  const ModelArchitecture model =
      *name != 0 ? load_model(name) : read_hf_config(folder / (std::string(tag) + "_config.json"));
  const KvBlocks blocks = kv_blocks(kv_footprint(model, {}), WindowedCache::Released, block_size);
  EXPECT_EQ(std::int64_t(bytes / blocks.block.value()), log["blocks"].get<std::int64_t>());
}

INSTANTIATE_TEST_SUITE_P(Engines, LoggedBlocks,
                         ::testing::Values(LoggedEngine{"qwen35", "", 16},
                                           LoggedEngine{"nemotron3nano", "", 16},
                                           LoggedEngine{"gemma4", "", 16}, LoggedEngine{"dsv32", "", 64},
                                           LoggedEngine{"gptoss20b", "gpt-oss-20b", 16}));

TEST(KvLayout, CountsWholePagesAndWhatTheWindowStillSees) {
  const KvLayout layout{.full = 1, .windowed = 2, .window = 32, .state = 3};
  EXPECT_EQ(layout.blocks(17, 0, 16), 2 + 2 * 2 + 3);
  EXPECT_EQ(layout.blocks(100, 46, 16), 7 + 2 * 7 + 3);
  EXPECT_EQ(layout.blocks(100, 47, 16), 7 + 2 * 6 + 3);  // the first page is behind the window
  EXPECT_EQ(layout.most_blocks(1000, 16, 16), 63 + 2 * 4 + 3);
}

// vLLM 0.33, mamba_cache_mode align: a request on its way over the end of a block holds the state that it
// starts from and the one that it writes. 560 bytes a block: three groups of states.
TEST(KvLayout, HoldsTwoStatesOverTheEndOfABlock) {
  const KvLayout within{
      .full = 1, .state = 3, .kept_state = 3, .full_stretch = 35, .states_kept = StateKeeping::WithinChunks};
  EXPECT_EQ(within.state_page(16), 560);
  EXPECT_EQ(within.blocks(500, 0, 16), 1 + 3);       // the first block alone
  EXPECT_EQ(within.blocks(1000, 0, 16), 2 + 2 * 3);  // its last place is written on the way
  EXPECT_EQ(within.blocks(1001, 1000, 16), 2 + 3);   // decoding
  EXPECT_EQ(within.blocks(1121, 1120, 16), 3 + 2 * 3);
  EXPECT_EQ(within.blocks(1122, 1121, 16), 3 + 3);
  EXPECT_EQ(within.most_blocks(1000, 8192, 16), 2 + 2 * 3);  // max_memory_usage_bytes of MambaSpec
  KvLayout at_ends = within;
  at_ends.states_kept = StateKeeping::AtChunkEnds;
  EXPECT_EQ(at_ends.blocks(1000, 0, 16), 2 + 3);
  EXPECT_EQ(at_ends.blocks(1000, 560, 16), 2 + 2 * 3);
  KvLayout none = within;
  none.states_kept = StateKeeping::None;
  EXPECT_EQ(none.most_blocks(1000, 8192, 16), 2 + 3);
}

// Drafts of vLLM keep a state for each token that a step may verify: num_speculative_blocks.
TEST(KvCapacity, StatesOfDraftsTakeBlocksOfTheirOwn) {
  const KvFootprint kv = kv_footprint(load_model("Qwen3-Next-80B-A3B-Instruct"), {});
  const KvBlocks blocks = kv_blocks(kv, WindowedCache::Released, 16, Bytes(0),
                                    {.keeping = StateKeeping::WithinChunks, .of_drafts = 2});
  EXPECT_EQ(blocks.layout.state, 3 * (1 + 2));
  EXPECT_EQ(blocks.layout.most_blocks(10'000, 8192, 16) - blocks.layout.blocks(10'000, 9'999, 16), 3);
}

// SGLang 0.5.23, _handle_max_mamba_cache by hand: 9 GiB of 19 for states of 36 MiB are 256 slots, one of them
// padding; five of a request let 51 run.
TEST(StatePool, GetsItsShareOfWhatWeightsLeave) {
  const Bytes state(36.0 * (1 << 20));
  const StatePool pool =
      state_pool({.slots_of_request = 5, .held_slots = 3, .requests = 2048}, state, gibibytes(19));
  EXPECT_EQ(pool.slots, 255);
  EXPECT_EQ(pool.requests, 51);
  EXPECT_EQ(pool.held, 3);
  EXPECT_DOUBLE_EQ(pool.bytes.value(), 256 * state.value());
  EXPECT_EQ(state_pool({.slots = 100, .slots_of_request = 5}, state, gibibytes(19)).requests, 20);
  EXPECT_EQ(state_pool({.slots = 100, .slots_of_request = 1}, state, gibibytes(19)).requests, 100);
}

// With drafts of four tokens each request has four states more: (256 - 5) / (1 + 4 / 5) slots, and of those
// 27 requests and the padding four states each.
TEST(StatePool, KeepsAStateForEachVerifiedToken) {
  const Bytes state(36.0 * (1 << 20));
  const StatePool pool =
      state_pool({.slots_of_request = 5, .requests = 48, .verified_tokens = 4}, state, gibibytes(19));
  EXPECT_EQ(pool.slots, 139);
  EXPECT_EQ(pool.requests, 27);
  EXPECT_DOUBLE_EQ(pool.bytes.value(), (140 + 28 * 4) * state.value());
  EXPECT_LE(pool.bytes, gibibytes(9));
}

TEST(KvCapacity, APoolOfStatesLeavesTheRestToKeysAndValues) {
  const ModelArchitecture model = load_model("Qwen3-Next-80B-A3B-Instruct");
  const Sharding sharding{.tensor_parallel = 2};
  const KvFootprint kv = kv_footprint(model, sharding);
  EXPECT_DOUBLE_EQ(kv.states.value(), kv.per_request.value());
  KvCapacityOptions options{.share = MemoryShare::StaticPart, .block_size = 1};
  const KvCapacity before = kv_capacity(model, sharding, gibibytes(141), options);
  options.state_pool = StatePoolRule{.slots_of_request = 5, .held_slots = 3, .requests = 2048};
  const KvCapacity pooled = kv_capacity(model, sharding, gibibytes(141), options);
  ASSERT_TRUE(pooled.fits);
  const double rest = before.kv_cache.value(), padded = rest * 0.9 / 1.9 / kv.states.value();
  EXPECT_EQ(pooled.state_pool.slots, std::int64_t(padded) - 1);
  EXPECT_EQ(pooled.state_pool.requests, pooled.state_pool.slots / 5);
  EXPECT_EQ(pooled.layout.state, 0);
  EXPECT_NEAR(double(pooled.tokens), rest / 1.9 / kv.full_per_token.value(), 0.002 * double(pooled.tokens));
  options.state_pool->slots = 3;
  const KvCapacity none = kv_capacity(model, sharding, gibibytes(141), options);
  EXPECT_FALSE(none.fits);
  EXPECT_PRED2(contains_text, none.explanation, "enough for no request, which takes 5");
}

TEST(KvCapacity, SaysWhatIsMissingAndWhatWouldFit) {
  const ModelArchitecture model = load_model("Llama-3.1-70B");
  const KvCapacity capacity = kv_capacity(model, {}, gibibytes(80));
  EXPECT_FALSE(capacity.fits);
  EXPECT_EQ(capacity.tokens, 0);
  EXPECT_EQ(capacity.fitting_tensor_parallel, 2);
  EXPECT_PRED2(contains_text, capacity.explanation, "`tensor_parallel_size` 2 would fit");
  EXPECT_PRED2(contains_text, capacity.explanation, "weights 131.4");
  EXPECT_TRUE(kv_capacity(model, {.tensor_parallel = 2}, gibibytes(80)).fits);
  EXPECT_THROW(require_kv_capacity(model, {}, gibibytes(80)), InvalidInput);
  EXPECT_PRED2(contains_text, kv_capacity(load_model("DeepSeek-V3"), {}, gibibytes(1)).explanation,
               "no tensor_parallel");
}

TEST(KvCapacity, RefusesBadOptions) {
  const ModelArchitecture model = load_model("Llama-3.1-8B");
  EXPECT_THROW(kv_capacity(model, {}, gibibytes(80), {.gpu_memory_utilization = 1.5}), InvalidInput);
  EXPECT_THROW(kv_capacity(model, {}, gibibytes(80), {.gpu_memory_utilization = std::nan("")}), InvalidInput);
  EXPECT_THROW(kv_capacity(model, {}, gibibytes(80), {.block_size = 0}), InvalidInput);
  EXPECT_THROW(kv_capacity(model, {.tensor_parallel = 3}, gibibytes(80)), InvalidInput);
}

}  // namespace
}  // namespace warploom
