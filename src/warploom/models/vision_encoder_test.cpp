#include "warploom/models/vision_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "warploom/base/error.h"
#include "warploom/models/contains_text.h"
#include "warploom/models/load_vision_encoder.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/vision_operators.h"

namespace warploom {
namespace {

constexpr const char* kConfig =
    R"({"depth": 24, "hidden_size": 1024, "num_heads": 16, "intermediate_size": 4096, "hidden_act": "gelu"})";

TEST(VisionEncoder, ReadsAVisionConfig) {
  const VisionEncoder encoder = load_vision_encoder(kConfig);
  EXPECT_EQ(encoder.depth, 24);
  EXPECT_EQ(encoder.merge, 2);
  const std::string whole =
      std::string(R"({"model_type": "x", "vision_config": )").append(kConfig).append("}");
  EXPECT_EQ(load_vision_encoder(whole).hidden, 1024);
  EXPECT_THROW(load_vision_encoder(R"({"depth": 24})"), InvalidInput);
  EXPECT_THROW(
      load_vision_encoder(R"({"depth": 1, "hidden_size": 10, "num_heads": 3, "intermediate_size": 4})"),
      InvalidInput);
  EXPECT_THROW(load_vision_encoder("no/such/file.json", FileScope::machine()), IoError);
  EXPECT_THROW(load_vision_encoder("no/such/file.json"), Unsupported);
}

TEST(VisionEncoder, WorksOnPatchesAndGivesTokens) {
  const VisionEncoder encoder = load_vision_encoder(kConfig);
  const ImageShape shape = image_of_tokens(encoder, 256);
  const std::array three{ImageCount{&shape, 3}}, one{ImageCount{&shape, 1}};
  const OperatorGraph graph = vision_operators(encoder, three, {});
  const auto node = [&](std::string_view label) {
    return *std::find_if(graph.begin(), graph.end(), [&](const OperatorNode& n) { return n.label == label; });
  };
  EXPECT_EQ(std::get<Gemm>(node("vision_qkv").op).m, 3 * 1024);
  EXPECT_EQ(std::get<Gemm>(node("vision_qkv").op).n, 3 * 1024);
  EXPECT_EQ(node("vision_qkv").count, 24);
  EXPECT_EQ(std::get<Gemm>(node("vision_merger_fc2").op).m, 3 * 256);
  const auto attention = std::get<AttentionPrefill>(node("vision_attention").op);
  EXPECT_FALSE(attention.causal);
  EXPECT_EQ(attention.requests[0].count, 3);
  EXPECT_EQ(attention.requests[0].query_tokens, 1024);
  for (const OperatorNode& n : graph) check_operator(n.op, "test");
  const auto sharded = vision_operators(encoder, one, {.tensor_parallel = 4});
  EXPECT_EQ(sharded.back().label, "vision_merger_allreduce");
  EXPECT_EQ(vision_operators(encoder, one, {.tensor_parallel = 3}).size(),
            graph.size());  // 16 heads do not divide
  EXPECT_NEAR(vision_weights(encoder, {}).value() / 1e9, 0.67, 0.05);
}

// Counted by hand: qkv, proj and MLP of each layer, the projections, the patches and the table of positions.
TEST(VisionEncoder, WeighsWhatItsTensorsHold) {
  const ModelCatalog catalog;
  const auto elements = [&](std::string_view name) {
    return std::int64_t(vision_weights(*catalog.get(name).vision.encoder, {}).value() / 2);
  };
  const std::int64_t layers = 27LL * (4 * 1152 * 1152 + 2 * 1152 * 4304);
  // Deepstack has three projections beside the last.
  EXPECT_EQ(elements("Qwen3-VL-8B-Instruct"), layers + 4LL * 4608 * (4608 + 4096) + 1152 * (1536 + 2304));
  EXPECT_EQ(elements("Qwen3.5-27B"), layers + 4608LL * (4608 + 5120) + 1152 * (1536 + 2304));
  EXPECT_EQ(elements("Kimi-K2.5"), layers + 4608LL * (4608 + 7168) + 1152 * (588 + 4096));
  EXPECT_EQ(elements("Gemma-4-26B-A4B"),
            27LL * (4 * 1152 * 1152 + 3 * 1152 * 4304) + 1152LL * 2816 + 1152 * (768 + 2 * 10240));
  const std::int64_t llama = 34LL * (4 * 1408 * 1408 + 2 * 1408 * 5632);
  EXPECT_EQ(elements("Llama-4-Scout-17B-16E-Instruct"),
            llama + 4096LL * (5632 + 4096) + 4096LL * 5120 + 1408 * (588 + 578));
}

// vLLM's mm_encoder_tp_mode data: whole images, the largest first to the GPU that has least.
TEST(VisionEncoder, ByImagesTheBusiestGpuCounts) {
  const VisionEncoder encoder = load_vision_encoder(kConfig);
  const ImageShape small = image_of_tokens(encoder, 100), large = image_of_tokens(encoder, 300);
  const std::array images{ImageCount{&small, 5}, ImageCount{&large, 1}};
  const auto patches = [&](const VisionSplit& split) {
    return std::get<Gemm>(vision_operators(encoder, images, split).front().op).m;
  };
  EXPECT_EQ(patches({.tensor_parallel = 4}), 4 * 800);
  EXPECT_EQ(patches({.tensor_parallel = 2, .by_images = true}), 4 * 400);  // 300 and 100 beside 4 x 100
  EXPECT_EQ(patches({.tensor_parallel = 4, .by_images = true}), 4 * 300);
  EXPECT_EQ(vision_weights(encoder, {.tensor_parallel = 4, .by_images = true}).value(),
            vision_weights(encoder, {}).value());
  EXPECT_EQ(vision_operators(encoder, images, {.tensor_parallel = 2, .by_images = true}).back().label,
            "vision_allgather");
}

TEST(VisionEncoder, OfEveryFamilyIsAListOfOperators) {
  const ModelCatalog catalog;
  for (const char* name : {"Qwen3-VL-2B-Instruct", "Qwen3.6-27B-NVFP4", "Kimi-K2.6-NVFP4", "Kimi-K3",
                           "Gemma-4-31B-IT-NVFP4", "Llama-4-Scout-17B-16E-Instruct"}) {
    const VisionPart& part = catalog.get(name).vision;
    ASSERT_TRUE(part.encoder) << name << ": " << part.refusal;
    const ImageShape shape = image_shape(*part.encoder, {1280, 720});
    for (const std::int64_t ranks : {1, 2, 8})
      for (const bool by_images : {false, true}) {
        const std::array images{ImageCount{&shape, 5}};
        for (const OperatorNode& node :
             vision_operators(*part.encoder, images, {.tensor_parallel = ranks, .by_images = by_images}))
          check_operator(node.op, name);
      }
  }
}

TEST(VisionEncoder, OfOtherModelsIsRefusedByName) {
  const ModelCatalog catalog;
  for (const char* name : {"MiniMax-M3-NVFP4", "GLM-5.3-Flash", "Gemma-3-4b-it"}) {
    const VisionPart& part = catalog.get(name).vision;
    EXPECT_FALSE(part.encoder) << name;
    EXPECT_PRED2(contains_text, part.refusal, "is not modelled") << name;
  }
  EXPECT_TRUE(catalog.get("Llama-3.1-8B").vision.refusal.empty());
}

}  // namespace
}  // namespace warploom
