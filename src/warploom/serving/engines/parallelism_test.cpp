#include "warploom/serving/engines/parallelism.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

TEST(Parallelism, SpreadsMixturesOverDataParallelRanks) {
  ServingConfig config;
  config.tensor_parallel_size = 2;
  config.data_parallel_size = 4;
  ModelArchitecture model;
  EXPECT_EQ(sharding_of(config, model).data_parallel, 4);
  EXPECT_EQ(sharding_of(config, model).attention_data_parallel, 1);
  model.layers = {{.feed_forward = MixtureOfExperts{}}};
  EXPECT_EQ(sharding_of(config, model).attention_data_parallel, 4);
  EXPECT_EQ(sharding_of(config, model).expert_parallel, 1);
  config.enable_expert_parallel = true;
  EXPECT_EQ(sharding_of(config, model).expert_parallel, 8);
}

TEST(Parallelism, SglangSpreadsExpertsOverAllRanksThatExchangeTokens) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  ServingConfig config{
      .engine = "sglang", .tensor_parallel_size = 8, .data_parallel_size = 8, .enable_dp_attention = true};
  EXPECT_FALSE(spread_attention(config, model).enable_expert_parallel);
  config.moe_a2a_backend = "deepep";
  EXPECT_EQ(sharding_of(spread_attention(config, model), model).expert_parallel, 8);
}

TEST(Parallelism, SglangCountsDataParallelGroupsWithinItsGpus) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  ServingConfig config{.engine = "sglang"};
  config.tensor_parallel_size = 16;
  config.data_parallel_size = 8;
  config.enable_dp_attention = true;
  config.enable_expert_parallel = true;
  const Sharding sharding = sharding_of(spread_attention(config, model), model);
  EXPECT_EQ(sharding.tensor_parallel, 2);
  EXPECT_EQ(sharding.attention_data_parallel, 8);
  EXPECT_EQ(sharding.expert_parallel, 16);
  EXPECT_EQ(sharding.gpus_per_replica(), 16);

  config.enable_dp_attention = false;  // copies behind one router
  const ServingConfig copies = spread_attention(config, model);
  EXPECT_EQ(copies.instances, 8);
  EXPECT_EQ(sharding_of(copies, model).tensor_parallel, 16);
  EXPECT_EQ(sharding_of(copies, model).attention_data_parallel, 1);

  config.enable_dp_attention = true;
  config.data_parallel_size = 3;
  EXPECT_THROW(spread_attention(config, model), InvalidInput);
  config.data_parallel_size = 8;
  EXPECT_THROW(spread_attention(config, load_model("Llama-3.1-8B")), InvalidInput);
}

TEST(Parallelism, TensorRtLlmGivesEachGpuItsOwnAttention) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  ServingConfig config{.engine = "trtllm"};
  config.tensor_parallel_size = 8;
  config.enable_dp_attention = true;
  const Sharding sharding = sharding_of(spread_attention(config, model), model);
  EXPECT_EQ(sharding.tensor_parallel, 1);
  EXPECT_EQ(sharding.attention_data_parallel, 8);
  EXPECT_EQ(sharding.moe_tensor_parallel(), 8);
}

TEST(Parallelism, WhatAsksForGroupsIsReadBackAsThoseGroups) {
  const ModelArchitecture model = load_model("DeepSeek-V3");
  for (const char* engine : {"vllm", "sglang", "trtllm"})
    for (const std::int64_t tensor : {1, 4})
      for (const std::int64_t groups : {1, 2, 8}) {
        ServingConfig config{.engine = engine};
        config.tensor_parallel_size = tensor;
        config.enable_expert_parallel = true;
        if (engine == std::string("trtllm") && tensor > 1 && groups > 1) {
          EXPECT_THROW(ask_for_groups(config, groups), Unsupported);
          continue;
        }
        const ServingConfig spread = spread_attention(ask_for_groups(config, groups), model);
        EXPECT_EQ(spread.tensor_parallel_size, tensor) << engine << groups;
        EXPECT_EQ(spread.data_parallel_size, groups) << engine << tensor;
        EXPECT_EQ(sharding_of(spread, model).expert_parallel, tensor * groups) << engine;
      }
}

TEST(Parallelism, DeepEpNeedsSpreadExperts) {
  ServingConfig config;
  config.all2all_backend = "deepep_low_latency";
  const Sharding spread{.tensor_parallel = 1, .expert_parallel = 8, .attention_data_parallel = 8};
  EXPECT_EQ(expert_transport(config, spread), ExpertTransport::DeepEpLowLatency);
  EXPECT_EQ(expert_transport(config, {.tensor_parallel = 8, .expert_parallel = 8}),
            ExpertTransport::Collectives);
  config.all2all_backend = "deepep_high_throughput";
  EXPECT_EQ(expert_transport(config, spread), ExpertTransport::DeepEpNormal);
  config.moe_backend = "deep_gemm_mega_moe";
  EXPECT_EQ(expert_transport(config, spread), ExpertTransport::MegaMoe);
  EXPECT_THROW(expert_transport(config, {.tensor_parallel = 8, .expert_parallel = 8}), Unsupported);
  config.moe_backend = "auto";
  config.all2all_backend = "pplx";
  EXPECT_THROW(expert_transport(config, spread), InvalidInput);

  ServingConfig sglang{.engine = "sglang"};
  const ServingConfig trtllm{.engine = "trtllm"};
  EXPECT_EQ(expert_transport(trtllm, spread), ExpertTransport::Collectives);
  EXPECT_EQ(expert_transport(trtllm, spread, true), ExpertTransport::NvLinkAllToAll);
  EXPECT_EQ(expert_transport(trtllm, {.tensor_parallel = 8, .expert_parallel = 8}, true),
            ExpertTransport::Collectives);
  EXPECT_EQ(expert_transport(sglang, spread), ExpertTransport::Collectives);
  sglang.moe_a2a_backend = "deepep";
  EXPECT_EQ(expert_transport(sglang, spread), ExpertTransport::DeepEpAuto);
  EXPECT_THROW(expert_transport(sglang, {.tensor_parallel = 8, .expert_parallel = 8}), Unsupported);
  ServingConfig fused = sglang;
  fused.moe_a2a_backend = "megamoe";
  EXPECT_EQ(expert_transport(fused, spread), ExpertTransport::MegaMoe);
  EXPECT_THROW(expert_transport(fused, {.tensor_parallel = 8, .expert_parallel = 8}), Unsupported);
  fused.moe_a2a_backend = "deepep";
  fused.moe_backend = "megamoe";  // SGLang lets it win
  EXPECT_EQ(expert_transport(fused, spread), ExpertTransport::MegaMoe);
  sglang.deepep_mode = "normal";
  EXPECT_EQ(expert_transport(sglang, spread), ExpertTransport::DeepEpNormal);
  sglang.deepep_mode = "fast";
  EXPECT_THROW(expert_transport(sglang, spread), InvalidInput);
}

TEST(Parallelism, AutomaticDeepEpFollowsTheTokensOfARank) {
  Collective op{.kind = CollectiveKind::Dispatch, .ranks = 8, .top_k = 8, .token_bytes = Bytes(7168)};
  op.size = Bytes(128.0 * 8 * 7168);
  EXPECT_EQ(deepep_kernel(ExpertTransport::DeepEpAuto, op), "deepep_low_latency");
  op.size = Bytes(129.0 * 8 * 7168);
  EXPECT_EQ(deepep_kernel(ExpertTransport::DeepEpAuto, op), "deepep_normal_sms20");
  EXPECT_EQ(deepep_kernel(ExpertTransport::Collectives, op), "");
}

}  // namespace
}  // namespace warploom
