#include "warploom/fused_moe/moe_layer.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/fused_moe/engine_default.h"

namespace warploom {
namespace {

TEST(MoeLayer, FileNamesAreThoseThatEnginesLookFor) {
  MoeLayer layer{.experts = 8, .top_k = 2, .hidden = 4096, .intermediate = 14336, .tensor_parallel = 2};
  EXPECT_EQ(moe_config_file_name(layer, "NVIDIA_A100-SXM4-80GB", MoeEngine::Vllm),
            "E=8,N=7168,device_name=NVIDIA_A100-SXM4-80GB.json");
  layer = {.experts = 256, .top_k = 8, .hidden = 7168, .intermediate = 2048, .dtype = MoeDtype::Fp8W8A8};
  layer.block_n = layer.block_k = 128;
  layer.expert_parallel = 8;
  EXPECT_EQ(moe_config_file_name(layer, "NVIDIA_H200", MoeEngine::Vllm),
            "E=32,N=2048,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json");
  EXPECT_EQ(moe_config_file_name(layer, "NVIDIA_H200", MoeEngine::Sglang),
            "E=32,N=2048,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128].json");
}

TEST(MoeLayer, EveryTokenCountIsServedByItsNearestKey) {
  std::int64_t next = 1;
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    const auto [first, last] = served_tokens(i);
    EXPECT_EQ(first, next);
    EXPECT_LE(first, kMoeLadder[i]);
    EXPECT_GE(last, kMoeLadder[i]);
    for (const std::int64_t tokens : {first, last})
      for (const std::int64_t other : kMoeLadder)
        if (i + 1 < kMoeLadder.size()) {
          EXPECT_LE(std::abs(tokens - kMoeLadder[i]), std::abs(tokens - other));
        }
    next = last + 1;
  }
}

TEST(MoeLayer, RefusesWhatEnginesRefuse) {
  const auto refused = [](auto change, const char* word) {
    MoeLayer layer{.experts = 128, .top_k = 8, .hidden = 4096, .intermediate = 1536};
    change(layer);
    try {
      check_moe_layer(layer, "moe-config");
      ADD_FAILURE() << "accepted: " << word;
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused([](MoeLayer& l) { l.top_k = 129; }, "top_k 129 of 128 experts");
  refused([](MoeLayer& l) { l.expert_parallel = 3; }, "expert_parallel 3");
  refused([](MoeLayer& l) { l.tensor_parallel = 5; }, "tensor_parallel 5");
  refused([](MoeLayer& l) { l.intermediate = 1000; }, "1000 is not divisible");
  refused([](MoeLayer& l) { l.hidden = 4100; }, "hidden 4100");
  refused([](MoeLayer& l) { l.block_n = l.block_k = 128; }, "expected fp8_w8a8");
  refused([](MoeLayer& l) { l.block_n = 128; }, "both or none");
  refused(
      [](MoeLayer& l) {
        l.dtype = MoeDtype::Fp8W8A8;
        l.block_n = l.block_k = 128;
        l.tensor_parallel = 8;
      },
      "= 192 is not divisible by block_n 128");
}

TEST(EngineDefault, FollowsThePublicRules) {
  const MoeLayer layer{.experts = 64, .top_k = 6, .hidden = 2048, .intermediate = 1408};
  const auto text = [](MoeEngine engine, const MoeLayer& of, std::int64_t tokens) {
    return moe_config_text(engine_default(engine, of, tokens));
  };
  EXPECT_EQ(text(MoeEngine::Sglang, layer, 64), "16x32x64/w4/s3/g1");
  EXPECT_EQ(text(MoeEngine::Sglang, layer, 65), "64x64x32/w4/s3/g8");
  EXPECT_EQ(text(MoeEngine::Vllm, layer, 32), "16x64x128/w4/s4/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, layer, 33), "32x64x128/w4/s3/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, layer, 65), "32x128x64/w4/s3/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, layer, 129), "64x128x64/w8/s3/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, layer, 513), "128x128x64/w8/s3/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, layer, 129 * 64 - 1), "128x128x64/w8/s3/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, layer, 129 * 64), "128x128x64/w8/s3/g16");
  MoeLayer fp8 = layer;
  fp8.dtype = MoeDtype::Fp8W8A8;
  EXPECT_EQ(text(MoeEngine::Sglang, fp8, 64), "64x128x128/w4/s4/g1");
  EXPECT_EQ(text(MoeEngine::Sglang, fp8, 65), "128x256x128/w8/s4/g32");
  EXPECT_EQ(text(MoeEngine::Vllm, fp8, 129), "64x128x128/w8/s3/g1");
  fp8.block_n = fp8.block_k = 128;
  EXPECT_EQ(text(MoeEngine::Sglang, fp8, 1), "64x128x128/w4/s3/g32");
  EXPECT_EQ(text(MoeEngine::Vllm, fp8, 4), "16x64x128/w4/s4/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, fp8, 8), "16x64x128/w4/s3/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, fp8, 16), "16x128x128/w4/s3/g1");
  EXPECT_EQ(text(MoeEngine::Vllm, fp8, 17), "16x128x128/w4/s3/g32");
  EXPECT_EQ(text(MoeEngine::Vllm, fp8, 65), "64x128x128/w4/s3/g32");
  MoeLayer sharded = layer;
  sharded.expert_parallel = 8;
  EXPECT_EQ(text(MoeEngine::Sglang, sharded, 9), "64x64x32/w4/s3/g8") << "E is the experts of the GPU";
}

}  // namespace
}  // namespace warploom
