#include "warploom/app/serving/serving_setup.h"

#include <gtest/gtest.h>

#include <set>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

ServingSetupRequest request_of(const char* model, const char* gpu) {
  ServingSetupRequest request;
  request.model = model;
  request.gpu = gpu;
  return request;
}

std::string refusal_of(const ServingSetupRequest& request) {
  try {
    resolve_serving(request, fixed_latency());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ServingSetup, SaysWhoseDefaultsAreTakenWhereTheTableOfVersionsEnds) {
  const auto engine_text = [](const std::string& engine, const std::string& version) {
    ServingSetupRequest request = request_of("Llama-3.1-8B", "H100-SXM");
    request.config.engine = engine;
    request.version = version;
    return resolve_serving(request, fixed_latency()).engine_text();
  };
  const std::string words = " (not in the engine's table: defaults of ";
  EXPECT_EQ(engine_text("vllm", "0.19.0"), "vllm 0.19.0");
  EXPECT_EQ(engine_text("vllm", "0.33.1"), "vllm 0.33.1" + words + "0.33.0)");
  EXPECT_EQ(engine_text("vllm", "0.6.3"), "vllm 0.6.3" + words + "0.8.0)");
  EXPECT_EQ(engine_text("sglang", "0.5.9"), "sglang 0.5.9");
  EXPECT_EQ(engine_text("sglang", "0.6.0"), "sglang 0.6.0" + words + "0.5.23)");
  EXPECT_EQ(engine_text("trtllm", "1.2.0rc6.post2"), "trtllm 1.2.0rc6.post2");
  EXPECT_EQ(engine_text("trtllm", "2.0.0"), "trtllm 2.0.0" + words + "1.3.0rc20)");
  EXPECT_EQ(engine_text("vllm", "nightly-5b8c30d6"), "vllm nightly-5b8c30d6");
  EXPECT_EQ(engine_text("vllm", ""), "vllm");
  EXPECT_EQ(engine_text("vllm", "v0.19.0"), "vllm 0.19.0");  // as its tags and images are called
}

TEST(ServingSetup, FillsDefaultsAndCountsKvBlocks) {
  const std::shared_ptr<const LatencyModel> latency = fixed_latency();
  const ServingSetup setup = resolve_serving(request_of("Llama-3.1-8B", "H100-SXM"), latency);
  EXPECT_EQ(setup.gpu->name, "h100_sxm");
  EXPECT_EQ(setup.kernels.framework, "vllm");
  EXPECT_TRUE(setup.config.max_num_seqs.has_value());
  EXPECT_EQ(setup.config.max_model_len, setup.model.max_positions);
  // 0.9 x 80 GiB less 16 GB of weights, at 128 KiB a token, is 400 to 450 thousand tokens.
  const std::int64_t tokens = *setup.config.num_gpu_blocks_override * *setup.config.block_size;
  EXPECT_GT(tokens, 380'000);
  EXPECT_LT(tokens, 460'000);
}

TEST(ServingSetup, WeightsThatAreCastRunWhereBf16DoesNot) {
  ServingSetupRequest request = request_of("Llama-3.2-1B", "T4");
  request.quantization = "fp16";
  const ServingSetup setup = resolve_serving(request, fixed_latency());
  EXPECT_EQ(setup.model.dtype, DataType::Fp16);
  EXPECT_EQ(setup.model.layers[0].schemes.experts, MatmulScheme::Fp16);
}

// The default host knows what pieces of a step cost to launch.
TEST(ServingSetup, ModesOfCudaGraphsDiffer) {
  std::set<double> decode, prompts;
  for (const char* mode : {"PIECEWISE", "FULL", "NONE"}) {
    ServingSetupRequest request = request_of("Qwen3-0.6B", "B200");
    request.config.cudagraph_mode = mode;
    const ServingSetup setup = resolve_serving(request, fixed_latency());
    const GraphLimits graphs = graph_limits_of(setup.config);
    const HostModel& host = setup.config.host;
    const auto launch = [&](bool captured, bool pieces) {
      return host.launch(!captured ? LaunchMode::Kernels : pieces ? LaunchMode::Pieces : LaunchMode::Graph);
    };
    decode.insert(launch(graphs.decode > 0, graphs.decode_in_pieces).value());
    prompts.insert(launch(graphs.prompts > 0, graphs.prompts_in_pieces).value());
  }
  EXPECT_EQ(decode.size(), 3U);
  EXPECT_EQ(prompts.size(), 3U);
}

TEST(ServingSetup, KeepsBlocksThatTheUserGave) {
  ServingSetupRequest request = request_of("Llama-3.1-8B", "H100-SXM");
  request.config.num_gpu_blocks_override = 77;
  EXPECT_EQ(resolve_serving(request, fixed_latency()).config.num_gpu_blocks_override, 77);
}

TEST(ServingSetup, SaysWhatWouldFitWhenMemoryIsTooSmall) {
  const std::string refusal = refusal_of(request_of("Llama-3.1-70B", "H100-SXM"));
  EXPECT_NE(refusal.find("GiB too little"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("would fit"), std::string::npos) << refusal;
  ServingSetupRequest unchecked = request_of("Llama-3.1-70B", "H100-SXM");
  EXPECT_NO_THROW(resolve_serving(unchecked, fixed_latency(), MemoryCheck::None));
}

TEST(ServingSetup, RefusesUnknownNamesWithTheNearest) {
  EXPECT_NE(refusal_of(request_of("Llama-3.1-8C", "H100-SXM")).find("Llama-3.1-8B"), std::string::npos);
  EXPECT_NE(refusal_of(request_of("Llama-3.1-8B", "H100-SXN")).find("did you mean"), std::string::npos);
  ServingSetupRequest request = request_of("Llama-3.1-8B", "H100-SXM");
  request.config.engine = "vlm";
  EXPECT_THROW(resolve_serving(request, fixed_latency()), NotFound);
  EXPECT_THROW(check_simulated_engine("lmdeploy"), Unsupported);
  EXPECT_NO_THROW(check_simulated_engine("vllm"));
}

TEST(ServingSetup, ExpertParallelOfADenseModelIsRefused) {
  ServingSetupRequest request = request_of("Llama-3.1-8B", "H100-SXM");
  request.config.enable_expert_parallel = true;
  EXPECT_THROW(resolve_serving(request, fixed_latency()), InvalidInput);
}

TEST(ServingSetup, DataParallelRanksOfAMixtureStepTogether) {
  ServingSetupRequest request = request_of("Qwen3-30B-A3B-Instruct-2507", "H100-SXM");
  request.config.data_parallel_size = 2;
  request.config.enable_expert_parallel = true;
  const ServingSetup setup = resolve_serving(request, fixed_latency());
  EXPECT_EQ(setup.sharding.attention_data_parallel, 2);
  EXPECT_EQ(setup.sharding.expert_parallel, 2);
  EXPECT_EQ(setup.pricer->coupled_replicas(), 2u);
}

TEST(ServingSetup, HostSettingsApplyToTheFrameworksConstants) {
  ServingSetupRequest request = request_of("Llama-3.1-8B", "H100-SXM");
  request.framework = "sglang";
  request.host.values["frontend_latency_ms"] = 7;
  const HostModel host = resolve_serving(request, fixed_latency()).config.host;
  EXPECT_EQ(host.gap, milliseconds(0.3));
  EXPECT_EQ(host.launch_kernels.value(), 0);  // a dense model
  EXPECT_EQ(host.frontend_latency, milliseconds(7));
}

TEST(ServingSetup, ABuildThatIsNoReleaseHasTheHostOfItsDay) {
  const auto launches = [](const char* version, const char* day) {
    ServingSetupRequest request = request_of("Llama-3.1-8B", "H100-SXM");
    request.version = version;
    request.day = day;
    return resolve_serving(request, fixed_latency()).config.host.launch_kernels;
  };
  EXPECT_EQ(launches("", "20260201"), launches("0.14.0", ""));
  EXPECT_EQ(launches("nightly-20260201-abc", ""), launches("0.14.0", ""));
  EXPECT_EQ(launches("", "20261110"), launches("0.33.0", ""));
  EXPECT_EQ(launches("", ""), launches("0.33.0", ""));
  EXPECT_NE(launches("0.14.0", ""), launches("0.33.0", ""));
}

TEST(ServingSetup, LatenciesAreTheClientsUnlessTheEnginesAreAskedFor) {
  ServingSetupRequest request = request_of("Llama-3.1-8B", "H100-SXM");
  EXPECT_EQ(resolve_serving(request, fixed_latency()).config.host.frontend_latency, milliseconds(7));
  EXPECT_EQ(resolve_serving(request, fixed_latency()).config.host.frontend_per_token, microseconds(3));
  request.host.measured_at = MeasuredAt::Engine;
  EXPECT_EQ(resolve_serving(request, fixed_latency()).config.host.frontend_latency, Seconds(0.0));
  EXPECT_EQ(resolve_serving(request, fixed_latency()).config.host.frontend_per_token, Seconds(0.0));
  request.host.values["frontend_latency_ms"] = 7;
  EXPECT_THROW(resolve_serving(request, fixed_latency()), InvalidInput);
}

TEST(ServingSetup, ReadsKvCacheTypes) {
  EXPECT_FALSE(kv_cache_type("auto").has_value());
  EXPECT_EQ(kv_cache_type("fp8_e4m3"), DataType::Fp8);
  EXPECT_EQ(kv_cache_type("bfloat16"), DataType::Bf16);
  EXPECT_THROW(kv_cache_type("fp9"), InvalidInput);
}

}  // namespace
}  // namespace warploom
