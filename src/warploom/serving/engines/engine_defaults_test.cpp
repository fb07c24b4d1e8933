#include "warploom/serving/engines/engine_defaults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/pricing/cuda_graph.h"

namespace warploom {
namespace {

TEST(ServingConfig, TakesTheEnginesDefaultsForTheGpu) {
  GpuSpec h100{.name = "h100_sxm", .memory_capacity = gibibytes(80)};
  GpuSpec a100{.name = "a100_sxm_80gb", .memory_capacity = gibibytes(80)};
  ServingConfig large, other;
  resolve_defaults(large, h100);
  EXPECT_EQ(large.max_num_seqs, 1024);
  EXPECT_EQ(large.max_num_batched_tokens, 8192);
  other.max_num_seqs = 7;
  resolve_defaults(other, a100);
  EXPECT_EQ(other.max_num_seqs, 7);
  EXPECT_EQ(other.max_num_batched_tokens, 2048);
}

TEST(ServingConfig, RequestsOfAStepFollowItsTokens) {
  const GpuSpec h100{.name = "h100_sxm", .memory_capacity = gibibytes(80)};
  const auto resolved = [&](ServingConfig config) {
    resolve_defaults(config, h100);
    check_config(config);
    return config;
  };
  EXPECT_EQ(resolved({.max_num_batched_tokens = 512}).max_num_seqs, 512);
  EXPECT_EQ(resolved({.max_num_batched_tokens = 4096}).max_num_seqs, 1024);
  EXPECT_THROW(resolved({.max_num_seqs = 600, .max_num_batched_tokens = 512}), InvalidInput);
}

TEST(ServingConfig, PromptsThatAreNotSplitFitIntoAStep) {
  const GpuSpec h100{.name = "h100_sxm", .memory_capacity = gibibytes(80)};
  const auto tokens = [&](bool chunked, std::int64_t longest) {
    ServingConfig config;
    config.enable_chunked_prefill = chunked;
    config.max_model_len = longest;
    resolve_defaults(config, h100);
    return config.max_num_batched_tokens;
  };
  EXPECT_EQ(tokens(true, 131072), 8192);
  EXPECT_EQ(tokens(false, 131072), 131072);
  EXPECT_EQ(tokens(false, 4096), 8192);
}

TEST(ServingConfig, TensorRtRunsOnNvidiasGpusAlone) {
  const GpuSpec mi300x{.name = "mi300x", .vendor = Vendor::Amd, .memory_capacity = gibibytes(192)};
  ServingConfig config{.engine = "trtllm"};
  EXPECT_THROW(resolve_defaults(config, mi300x), Unsupported);
  config.engine = "vllm";
  EXPECT_NO_THROW(resolve_defaults(config, mi300x));
}

TEST(ServingConfig, TakesTheDefaultsOfTheVersion) {
  const GpuSpec h200{.name = "h200_sxm", .memory_capacity = gibibytes(141)};
  const auto resolved = [&](const std::string& engine, std::string_view version, std::int64_t ranks = 1) {
    ServingConfig config{.engine = engine, .tensor_parallel_size = ranks};
    resolve_defaults(config, h200, version);
    return config;
  };
  // vLLM schedules ahead by itself since 0.14; before 0.11 it captured decoding steps in pieces.
  EXPECT_EQ(resolved("vllm", "0.12.0").async_scheduling, false);
  EXPECT_EQ(resolved("vllm", "0.14.0").async_scheduling, true);
  EXPECT_EQ(resolved("vllm", "0.24.0").async_scheduling, true);
  EXPECT_EQ(resolved("vllm", "").async_scheduling, true);
  EXPECT_EQ(resolved("vllm", "nightly-5b8c").async_scheduling, true);
  EXPECT_EQ(resolved("vllm", "nightly-20251224").async_scheduling, false);
  EXPECT_EQ(resolved("vllm", "0.10.2").cudagraph_mode, "PIECEWISE");
  EXPECT_EQ(resolved("vllm", "0.19.0").cudagraph_mode, "FULL_AND_PIECEWISE");
  ServingConfig chosen{.async_scheduling = true};
  resolve_defaults(chosen, h200, "0.12.0");
  EXPECT_EQ(chosen.async_scheduling, true);
  // Graph sizes: every eighth or sixteenth above 256, SGLang's by GPUs, TensorRT-LLM's doubled or 64 apart.
  const auto padded = [&](const ServingConfig& config, std::int64_t tokens) {
    return padded_tokens(graph_sizes_of(config), tokens);
  };
  EXPECT_EQ(padded(resolved("vllm", "0.11.0"), 257), 264);
  EXPECT_EQ(padded(resolved("vllm", "0.19.0"), 257), 272);
  EXPECT_EQ(graph_sizes_of(resolved("sglang", "0.5.9")).back(), 256);
  EXPECT_EQ(graph_sizes_of(resolved("sglang", "0.5.9", 8)).back(), 512);
  EXPECT_EQ(graph_sizes_of(resolved("sglang", "0.4.6", 8)).back(), 160);
  EXPECT_EQ(padded(resolved("sglang", "0.5.9"), 9), 12);
  EXPECT_EQ(padded(resolved("trtllm", "1.1.0"), 140), 256);
  EXPECT_EQ(padded(resolved("trtllm", "1.3.0rc20"), 140), 192);
}

TEST(ServingConfig, TakesTheDefaultsOfNewVersionsForTheGpu) {
  const GpuSpec h200{.name = "h200_sxm", .compute_capability = 90, .memory_capacity = gibibytes(141)};
  const GpuSpec b200{.name = "b200_sxm", .compute_capability = 100, .memory_capacity = gibibytes(178)};
  const GpuSpec gb10{.name = "gb10", .compute_capability = 121, .memory_capacity = gibibytes(119)};
  const GpuSpec rtx5090{.name = "rtx_5090", .compute_capability = 120, .memory_capacity = gibibytes(31.8)};
  const auto resolved = [](ServingConfig config, const GpuSpec& gpu, std::string_view version) {
    resolve_defaults(config, gpu, version);
    return config;
  };
  EXPECT_EQ(resolved({}, h200, "0.19.1").gpu_memory_utilization, 0.9);
  EXPECT_EQ(resolved({}, h200, "0.20.0").gpu_memory_utilization, 0.92);
  // Steps and graphs of large Blackwell GPUs since 0.28.0.
  EXPECT_EQ(resolved({}, b200, "0.27.1").max_num_batched_tokens, 8192);
  EXPECT_EQ(resolved({}, b200, "0.28.0").max_num_batched_tokens, 16384);
  EXPECT_EQ(resolved({}, h200, "0.33.0").max_num_batched_tokens, 8192);
  EXPECT_EQ(graph_sizes_of(resolved({}, b200, "0.27.1")).back(), 512);
  EXPECT_EQ(graph_sizes_of(resolved({}, b200, "")).back(), 1024);
  EXPECT_EQ(graph_sizes_of(resolved({}, h200, "")).back(), 512);
  EXPECT_FALSE(resolved({}, h200, "0.26.0").experts_skip_padding);
  EXPECT_TRUE(resolved({}, h200, "0.27.0").experts_skip_padding);
  EXPECT_TRUE(resolved({}, h200, "").experts_skip_padding);
  EXPECT_FALSE(resolved({.engine = "sglang"}, h200, "").experts_skip_padding);
  ServingConfig wide;
  wide.data_parallel_size = 8;
  wide.enable_expert_parallel = true;
  EXPECT_EQ(resolved(wide, h200, "").max_num_batched_tokens, 8192);
  wide.all2all_backend = "deepep_low_latency";
  EXPECT_EQ(resolved(wide, h200, "").max_num_batched_tokens, 256);
  EXPECT_EQ(resolved(wide, h200, "").max_num_seqs, 256);
  EXPECT_EQ(resolved(wide, h200, "0.14.0").max_num_batched_tokens, 8192);
  EXPECT_FALSE(resolved({}, h200, "0.28.0").images_wait_apart);
  EXPECT_TRUE(resolved({}, h200, "0.33.0").images_wait_apart);
  EXPECT_EQ(resolved({}, gb10, "0.32.0").max_num_seqs, 1024);
  EXPECT_EQ(resolved({}, gb10, "0.33.0").max_num_seqs, 256);
  const auto sglang = [&](std::string_view version, std::optional<std::int64_t> seqs = {}) {
    return resolved({.engine = "sglang", .max_num_seqs = seqs}, rtx5090, version);
  };
  EXPECT_EQ(sglang("0.5.19").chunked_prefill_size, 2048);
  EXPECT_EQ(sglang("0.5.20").chunked_prefill_size, 4096);
  EXPECT_EQ(graph_sizes_of(sglang("0.5.19")).back(), 24);
  EXPECT_EQ(graph_sizes_of(sglang("0.5.20")).back(), 48);
  EXPECT_EQ(graph_sizes_of(sglang("0.5.21", 16)).back(), 48);
  EXPECT_EQ(graph_sizes_of(sglang("0.5.22", 16)).back(), 16);
}

TEST(ServingConfig, RoundTripsThroughJsonAndRefusesUnknownKeys) {
  ServingConfig config;
  config.max_num_seqs = 77;
  config.host.gap = milliseconds(1.5);
  const auto again = object_from_json<ServingConfig>(to_json(config), "test");
  EXPECT_EQ(again.max_num_seqs, 77);
  EXPECT_NEAR(again.host.gap.value(), 1.5e-3, 1e-12);
  EXPECT_FALSE(again.max_num_batched_tokens);
  EXPECT_THROW(object_from_json<ServingConfig>(parse_json(R"({"max_num_seq": 3})", "test"), "test"),
               InvalidInput);
  EXPECT_THROW(object_from_json<ServingConfig>(parse_json(R"({"block_size": 0})", "test"), "test"),
               InvalidInput);
}

TEST(ServingConfig, BalancesItsRanksAsTheEngineDoes) {
  EXPECT_EQ(balance_of({.engine = "vllm", .data_parallel_size = 2}), RoutingPolicy::WaitingFirst);
  EXPECT_EQ(balance_of({.engine = "vllm", .data_parallel_size = 1}), RoutingPolicy::RoundRobin);
  EXPECT_EQ(balance_of({.engine = "sglang", .data_parallel_size = 4}), RoutingPolicy::RoundRobin);
  EXPECT_EQ(balance_of({.engine = "trtllm", .data_parallel_size = 4}), RoutingPolicy::LeastLoaded);
}

TEST(ServingConfig, SaysWhichStepsAreLaunchedKernelByKernel) {
  ServingConfig config{.max_num_seqs = 128};
  EXPECT_EQ(graph_limits_of(config).prompts, 256);  // twice the sequences
  EXPECT_EQ(graph_limits_of(config).mode(1, 256), LaunchMode::Pieces);
  EXPECT_EQ(graph_limits_of(config).mode(1, 257), LaunchMode::Kernels);
  EXPECT_EQ(graph_limits_of(config).mode(0, 256), LaunchMode::Graph);
  EXPECT_EQ(graph_limits_of(config).mode(0, 257), LaunchMode::DecodeKernels);
  config.max_cudagraph_capture_size = 2048;
  EXPECT_EQ(graph_limits_of(config).mode(2048, 2048), LaunchMode::Pieces);
  config.cudagraph_mode = "FULL_DECODE_ONLY";
  EXPECT_EQ(graph_limits_of(config).mode(1, 8), LaunchMode::Kernels);
  EXPECT_EQ(graph_limits_of(config).mode(0, 8), LaunchMode::Graph);
  config.cudagraph_mode = "PIECEWISE";
  EXPECT_EQ(graph_limits_of(config).mode(0, 8), LaunchMode::Pieces);
  config.cudagraph_mode = "NONE";
  EXPECT_EQ(graph_limits_of(config).mode(0, 1), LaunchMode::DecodeKernels);
  config.cudagraph_mode = "full";
  EXPECT_THROW(check_config(config), InvalidInput);
  EXPECT_EQ(graph_limits_of({.engine = "sglang"}).mode(1, 8), LaunchMode::Kernels);
}

// server_args.py: prompts have graphs of their own since 0.5.10, not with latent attention since 0.5.15.
TEST(SglangPromptGraphs, AreOfTheVersionAndTheModel) {
  const GpuSpec h100{.name = "h100_sxm", .memory_capacity = gibibytes(80)};
  const ModelArchitecture llama = load_model("Llama-3.1-8B"), deepseek = load_model("DeepSeek-V2-Lite");
  const auto tokens = [&](const ModelArchitecture& model, std::string_view version, auto change) {
    ServingConfig config{.engine = "sglang"};
    change(config);
    resolve_defaults(config, h100, version);
    const EngineSpec& sglang = engine_named("sglang");
    config.graphed_prompt_tokens = sglang.graphed_prompt_tokens({config, model, {}, h100}, version);
    return graph_limits_of(config).prompts;
  };
  const auto as_it_is = [](ServingConfig&) {};
  EXPECT_EQ(tokens(llama, "0.5.9", as_it_is), 0);
  EXPECT_EQ(tokens(llama, "0.5.10", as_it_is), 8192);
  EXPECT_EQ(tokens(llama, "", as_it_is), 8192);
  EXPECT_EQ(tokens(deepseek, "0.5.10", as_it_is), 2048);
  EXPECT_EQ(tokens(deepseek, "0.5.16", as_it_is), 0);
  EXPECT_EQ(tokens(llama, "0.5.16", [](ServingConfig& config) { config.chunked_prefill_size = 4096; }), 4096);
  EXPECT_EQ(tokens(llama, "0.5.16", [](ServingConfig& config) { config.enforce_eager = true; }), 0);
  EXPECT_EQ(tokens(llama, "0.5.16", [](ServingConfig& config) { config.enable_lora = true; }), 0);
  const auto staged = [](ServingConfig& config) { config.pipeline_parallel_size = 2; };
  EXPECT_EQ(tokens(llama, "0.5.14", staged), 0);
  EXPECT_EQ(tokens(llama, "0.5.16", staged), 8192);
  // Sizes that a server of 0.5.23 logs at its start.
  ServingConfig config{.engine = "sglang"};
  resolve_defaults(config, h100, "0.5.23");
  EXPECT_TRUE(prompt_graph_sizes_of(config).empty());
  config.graphed_prompt_tokens = 8192;
  const std::vector<std::int64_t> sizes = prompt_graph_sizes_of(config);
  ASSERT_EQ(sizes.size(), 58U);
  for (const std::int64_t size : {4, 32, 48, 240, 256, 288, 512, 576, 1024, 1280, 4096, 4608, 8192})
    EXPECT_TRUE(std::binary_search(sizes.begin(), sizes.end(), size)) << size;
  for (const std::int64_t size : {36, 264, 272, 544, 1088, 4352})
    EXPECT_FALSE(std::binary_search(sizes.begin(), sizes.end(), size)) << size;
  config.enforce_eager = true;
  EXPECT_TRUE(prompt_graph_sizes_of(config).empty());
  // A nightly build is of its day. Models that read images have graphs where they are let in by name.
  EXPECT_EQ(tokens(llama, "nightly-dev-cu13-20260328-a27651d5", as_it_is), 0);
  EXPECT_EQ(tokens(llama, "nightly-dev-20260406", as_it_is), 8192);
  const ModelArchitecture pictures = load_model("Qwen3-VL-8B-Instruct"),
                          hybrid = load_model("Qwen/Qwen3.5-397B-A17B"),
                          next = load_model("Qwen3-Next-80B-A3B-Instruct"),
                          text_by_default = load_model("gemma-3-4b-it");
  EXPECT_EQ(tokens(pictures, "0.5.16", as_it_is), 0);
  EXPECT_EQ(tokens(hybrid, "0.5.15", as_it_is), 0);
  EXPECT_EQ(tokens(hybrid, "0.5.16", as_it_is), 8192);
  EXPECT_EQ(tokens(next, "0.5.14", as_it_is), 0);
  EXPECT_EQ(tokens(next, "0.5.15", as_it_is), 8192);
  EXPECT_EQ(tokens(text_by_default, "0.5.14", as_it_is), 8192);
}

// models/qwen3_5.py and layers/layernorm.py of 0.5.9 and 0.5.10.
TEST(SglangFusions, OfQwen35AreThoseOfTheRelease) {
  const GpuSpec h200 = GpuCatalog().get("h200_sxm");
  const ModelArchitecture hybrid = load_model("Qwen/Qwen3.5-397B-A17B"), plain = load_model("DeepSeek-V3");
  const Sharding sharding{.tensor_parallel = 8};
  const auto graph = [&](const ModelArchitecture& model, std::string_view version, bool asked) {
    ServingConfig config{.engine = "sglang"};
    if (asked) config.enable_flashinfer_allreduce_fusion = true;
    GraphOptions options;
    engine_named("sglang").fuse(options, {config, model, sharding, h200}, version);
    return options;
  };
  EXPECT_TRUE(graph(hybrid, "0.5.9", true).split_delta_inputs);
  EXPECT_TRUE(graph(hybrid, "0.5.13", true).copy_output_gates);
  EXPECT_FALSE(graph(hybrid, "0.5.14", true).copy_output_gates);
  EXPECT_FALSE(graph(hybrid, "0.5.9", true).fuse_allreduce_norm);
  EXPECT_FALSE(graph(hybrid, "0.5.10", false).split_delta_inputs);
  EXPECT_TRUE(graph(hybrid, "0.5.10", false).fuse_allreduce_norm);
  EXPECT_FALSE(graph(hybrid, "nightly-dev-20260402-d7256eb6", false).split_delta_inputs);
  EXPECT_FALSE(graph(hybrid, "nightly-dev-20260402-d7256eb6", true).fuse_allreduce_norm);
  EXPECT_TRUE(graph(plain, "0.5.9", false).fuse_allreduce_norm);
  EXPECT_FALSE(graph(plain, "0.5.9", false).split_delta_inputs);
  EXPECT_FALSE(graph(plain, "0.5.9", false).copy_output_gates);
}

}  // namespace
}  // namespace warploom
