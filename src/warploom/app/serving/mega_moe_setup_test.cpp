#include "warploom/app/serving/mega_moe_setup.h"

#include <gtest/gtest.h>

#include <variant>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/kernels/moe/mega_moe.h"

namespace warploom {
namespace {

ServingSetupRequest request_of(std::string gpu, std::string exchange) {
  ServingSetupRequest request{.model = "DeepSeek-V4-Pro", .gpu = std::move(gpu)};
  request.config.engine = "sglang";
  request.config.tensor_parallel_size = request.config.data_parallel_size = 8;
  request.config.enable_dp_attention = request.config.enable_expert_parallel = true;
  request.config.moe_a2a_backend = std::move(exchange);
  return request;
}

ServingSetup setup_of(const ServingSetupRequest& request) {
  return resolve_serving(request, open_latency_model(""));
}

const PricedGraph& step_of(const ServingSetup& setup) {
  static PricedGraph priced;
  priced = price_graph(setup, StepShape::one_token_each(64, 4096));
  return priced;
}

Bytes buffer_of(const ServingSetup& setup) {
  return mega_moe_memory({setup.config, setup.model, setup.sharding, *setup.gpu});
}

std::string why(const ServingSetupRequest& request) {
  try {
    setup_of(request);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(MegaMoeSetup, TheExpertsExchangeAndNothingElseDoes) {
  const ServingSetup setup = setup_of(request_of("gb200", "megamoe"));
  int experts = 0;
  for (const PricedNode& each : step_of(setup).nodes) {
    EXPECT_FALSE(std::holds_alternative<Collective>(each.node.op));
    if (!std::holds_alternative<FusedMoe>(each.node.op)) continue;
    ++experts;
    EXPECT_EQ(each.source.kernel, kMegaMoe);
    EXPECT_EQ(each.one_call.tier, Tier::Measured);
  }
  EXPECT_GT(experts, 0);
}

TEST(MegaMoeSetup, BothNamesOfSglangAndThatOfVllmAskForIt) {
  ServingSetupRequest other = request_of("gb200", "none");
  const double apart = step_of(setup_of(other)).gpu.p50.value();
  other.config.moe_backend = "megamoe";
  const double alias = step_of(setup_of(other)).gpu.p50.value();
  const double asked = step_of(setup_of(request_of("gb200", "megamoe"))).gpu.p50.value();
  EXPECT_EQ(alias, asked);
  EXPECT_NE(asked, apart);
  ServingSetupRequest vllm{.model = "DeepSeek-V4-Pro", .gpu = "gb200"};
  vllm.config.data_parallel_size = 8;
  vllm.config.enable_expert_parallel = true;
  vllm.config.moe_backend = "deep_gemm_mega_moe";
  EXPECT_EQ(setup_of(vllm).kernels.expert_transport, ExpertTransport::MegaMoe);
  vllm.config.enable_expert_parallel = false;
  EXPECT_NE(why(vllm).find("enable_expert_parallel"), std::string::npos);
}

TEST(MegaMoeSetup, RefusesByName) {
  EXPECT_NE(why(request_of("h200_sxm", "megamoe")).find("h200_sxm"), std::string::npos);
  ServingSetupRequest other = request_of("gb200", "megamoe");
  other.model = "nvidia/DeepSeek-V3-0324-NVFP4";
  EXPECT_NE(why(other).find("nvfp4"), std::string::npos);
  other = request_of("b200_sxm", "megamoe");
  other.config.tensor_parallel_size = other.config.data_parallel_size = 16;
  EXPECT_NE(why(other).find("links, which join 8"), std::string::npos);
  other = request_of("gb200", "megamoe");
  other.config.chunked_prefill_size = 8 * 8192 + 8;
  EXPECT_NE(why(other).find("65536"), std::string::npos);
  other.config.chunked_prefill_size = 0;
  EXPECT_NE(why(other).find("chunked_prefill_size is 0"), std::string::npos);
  other = request_of("gb200", "megamoe");
  other.config.enable_two_batch_overlap = true;
  EXPECT_NE(why(other).find("deepep"), std::string::npos);
}

TEST(MegaMoeSetup, ItsBufferTakesMemory) {
  ServingSetupRequest vllm{.model = "DeepSeek-V4-Pro", .gpu = "gb200"};
  vllm.config.data_parallel_size = 8;
  vllm.config.enable_expert_parallel = true;
  const KvCapacity before = setup_of(vllm).memory;
  vllm.config.moe_backend = "deep_gemm_mega_moe";
  const ServingSetup setup = setup_of(vllm);
  EXPECT_GT(to_gibibytes(buffer_of(setup)), 1);
  EXPECT_NEAR((setup.memory.reserve - before.reserve).value(), buffer_of(setup).value(), 1);
  EXPECT_LT(setup.memory.activations, before.activations) << "where the rows of experts lie";
  // SGLang's lies beside what weights and KV cache have, if there is room.
  ServingSetupRequest full = request_of("gb200", "megamoe");
  EXPECT_EQ(buffer_of(setup_of(full)).value(), 0);
  full.config.gpu_memory_utilization = 0.999;
  EXPECT_NE(why(full).find("mem_fraction_static"), std::string::npos);
}

}  // namespace
}  // namespace warploom
