// Manifests as people have them: what clouds call a GPU, what charts write of what is switched off, roles in
// new words and old.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/manifests/lines/engine_command.h"
#include "warploom/manifests/manifest_texts_test.h"

namespace warploom {
namespace {

TEST(ManifestHabits, TheGpuStandsInLabelsAffinityOrACloudsWords) {
  const Json set = read(fixture("stateful_set.yaml")).setup;
  EXPECT_EQ(set["gpu"], "h100_sxm");
  EXPECT_EQ(set["engine_version"], "0.5.14");  // v0.5.14-cu126
  EXPECT_EQ(set["config"]["tensor_parallel_size"], 2);
  EXPECT_EQ(set["config"]["instances"], 3);
  EXPECT_EQ(read(fixture("pod.yaml")).setup["gpu"], "h100_sxm");
  const std::string two = replaced(fixture("stateful_set.yaml"), "[NVIDIA-H100-80GB-HBM3]",
                                   "[NVIDIA-H100-80GB-HBM3, NVIDIA-H200]");
  EXPECT_FALSE(read(two).setup.contains("gpu"));
}

TEST(ManifestHabits, ArgumentsMayStandInOneText) {
  const Json usual = read(fixture("pod.yaml")).setup;
  const std::string list = "[\"Qwen/Qwen3-8B\", \"--max-num-seqs=64\"]";
  const auto with = [&](const std::string& args) { return replaced(fixture("pod.yaml"), list, args); };
  EXPECT_EQ(read(with("Qwen/Qwen3-8B --max-num-seqs 64")).setup, usual);
  EXPECT_EQ(read(with("[\"--model Qwen/Qwen3-8B --max-num-seqs 64\"]")).setup, usual);
  EXPECT_EQ(read(with("[Qwen/Qwen3-8B, \"--max-num-seqs 64\"]")).setup, usual);
  EXPECT_EQ(read(with("\"vllm serve Qwen/Qwen3-8B --max-num-seqs 64\"\n    command: [sh, -c]")).setup, usual);
  EXPECT_HAS(refusal("kind: Pod\nspec:\n  replicas: {{ .Values.n }}\n"), "`helm template`");
}

TEST(ManifestHabits, AListIsItsObjects) {
  std::string list = "apiVersion: v1\nkind: List\nitems:\n";
  std::string indent = "- ";
  const std::string pod = fixture("pod.yaml");
  for (std::size_t at = 0; at < pod.size();) {
    const std::size_t end = std::min(pod.find('\n', at), pod.size());
    list += indent + pod.substr(at, end - at) + "\n";
    indent = "  ";
    at = end + 1;
  }
  EXPECT_EQ(read(list).setup, read(pod).setup);
  EXPECT_HAS(refusal("apiVersion: v1\nkind: List\nitem: []\n"), "did you mean 'items'");
}

TEST(ManifestHabits, WhatIsSwitchedOffHasNoEffect) {
  const std::string values = fixture("production_stack_values.yaml");
  const std::string off = replaced(values, "    vllmConfig:", "    keda: {enabled: false}\n    vllmConfig:") +
                          "cacheserverSpec:\n  enabled: false\n";
  EXPECT_TRUE(left_out(read(off), "keda"));
  EXPECT_HAS(refusal(replaced(values, "    vllmConfig:", "    keda: {enabled: true}\n    vllmConfig:")),
             "keda changes times");
  EXPECT_HAS(refusal(values + "cacheserverSpec: {enabled: true}\n"), "cacheserverSpec changes times");
  EXPECT_EQ(read(fixture("llm_d_values.yaml") + "requester: {enable: false}\n").setup,
            read(fixture("llm_d_values.yaml")).setup);
}

TEST(ManifestHabits, ChartsStartNoPromptsPoolOfTheirOwn) {
  const std::string values = replaced(fixture("llm_d_values.yaml"), "  replicas: 1\n", "");
  EXPECT_FALSE(read(values).prefill);  // the chart's own number is 0
}

TEST(ManifestHabits, TheStacksRoutersFollowCachesWhateverTheLoad) {
  const std::string values = fixture("production_stack_values.yaml");
  const ManifestSetup prefix = read(replaced(values, "routingLogic: session", "routingLogic: prefixaware"));
  EXPECT_EQ(prefix.setup["config"]["routing_policy"], "weighted");
  EXPECT_EQ(prefix.router["router_prefix_weight"], 1);
  EXPECT_EQ(prefix.router["router_queue_weight"], 0);
  EXPECT_EQ(prefix.router["router_remembers_routed"], true);
  const ManifestSetup caches = read(replaced(values, "routingLogic: session", "routingLogic: kvaware"));
  EXPECT_EQ(caches.setup["config"]["routing_policy"], "weighted");
  EXPECT_FALSE(caches.router.contains("router_remembers_routed"));
  EXPECT_TRUE(std::any_of(caches.left_out.begin(), caches.left_out.end(),
                          [](const std::string& name) { return name.starts_with("kvaware's"); }));
  const std::string part =
      replaced(values, "    requestGPU: 2", "    requestGPU: 2\n    requestGPUType: nvidia.com/mig-4g.71gb");
  EXPECT_HAS(refusal(part), "a part of a GPU");
}

TEST(ManifestHabits, ReadsTheRoutersFlagsOfDynamo) {
  const std::string graph = fixture("dynamo_v1alpha1.yaml");
  const ManifestSetup flags = read(
      replaced(graph, "{name: DYN_ROUTER_MODE, value: kv}",
               "{name: DYN_ROUTER_MODE, value: kv}\n      - {name: DYN_ROUTER_TEMPERATURE, value: \"0.5\"}\n"
               "      - {name: DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT, value: \"0.7\"}"));
  EXPECT_EQ(flags.router["router_temperature"], 0.5);
  EXPECT_EQ(flags.router["router_overlap_credit"], 0.7);
  EXPECT_TRUE(read(graph).router.empty());
}

TEST(ManifestHabits, RolesAreSaidInNewWordsAndOld) {
  const std::string graph = fixture("dynamo_v1alpha1.yaml");
  const auto roles = [&](const std::string& decode, const std::string& prefill) {
    const ManifestSetup setup =
        read(replaced(replaced(graph, "--is-decode-worker", decode), "--is-prefill-worker", prefill));
    return setup.prefill && setup.decode && (*setup.decode)["config"]["instances"] == 3;
  };
  EXPECT_TRUE(roles("--disaggregation-mode, decode", "--disaggregation-mode, prefill"));
  EXPECT_TRUE(roles("--disaggregation-mode=decode", "--disaggregation-mode=prefill"));
  // The mode rules over what an instance may do with caches.
  EXPECT_TRUE(roles("--disaggregation-mode, decode, --kv-transfer-config, '{\"kv_role\":\"kv_both\"}'",
                    "--disaggregation-mode, prefill, --kv-transfer-config, '{\"kv_role\":\"kv_both\"}'"));
  EXPECT_TRUE(roles("--kv-transfer-config, '{\"kv_role\":\"kv_consumer\"}'",
                    "--kv-transfer-config, '{\"kv_role\":\"kv_producer\"}'"));
}

// Dynamo's worker of TensorRT-LLM takes keys of the engine's file in its line.
TEST(ManifestHabits, OverridesOfTheEnginesFileAreRead) {
  const auto config = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"trtllm-serve", "Llama-3.1-8B", "--max_batch_size", "64"});
    return parse_engine_commands({words}, "worker", {});
  };
  const EngineCommand whole = config(
      {"--override-engine-args",
       R"({"max_batch_size": 7, "kv_cache_config": {"dtype": "fp8"}, "cache_transceiver_config": {"a": 1}})"});
  EXPECT_EQ(whole.config.max_num_seqs, 7);
  EXPECT_EQ(whole.config.kv_cache_dtype, "fp8");
  EXPECT_EQ(whole.ignored,
            std::vector<std::string>{"worker: --override-engine-args: cache_transceiver_config"});
  const EngineCommand keys =
      config({"--trtllm.max_batch_size", "9", "--trtllm.kv_cache_config.dtype=fp8", "--foo"});
  EXPECT_EQ(keys.config.max_num_seqs, 9);
  EXPECT_EQ(keys.config.kv_cache_dtype, "fp8");
  EXPECT_EQ(keys.unknown, std::vector<std::string>{"--foo"});
  EXPECT_THROW(config({"--override-engine-args"}), InvalidInput);
  EXPECT_THROW(config({"--override-engine-args", "{\"max_batch_size\": [1]}"}), InvalidInput);
  EXPECT_THROW(config({"--trtllm.max_batch_sise", "9"}), Unsupported);
}

}  // namespace
}  // namespace warploom
