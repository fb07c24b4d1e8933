// Instances whose GPUs attend in groups, as a plan looks at them and as an engine is started with them.
#include <gtest/gtest.h>

#include "warploom/app/emit/emit_plan.h"
#include "warploom/app/plan/make_plan.h"
#include "warploom/app/serving/fixed_latency_test.h"

namespace warploom {
namespace {

PlanRequest grouped_plan(const std::string& model, const std::string& engine) {
  PlanRequest request;
  request.model = model;
  request.space.gpus = {"H200"};
  request.space.engines = {engine};
  request.space.tensor_parallel = {1, 2};
  request.space.data_parallel = {2};
  request.space.expert_parallel = Tried::On;
  request.space.max_gpus = 8;
  request.source.random = RandomPrompts{.input_len = 400, .output_len = 40};
  request.source.rate = 10;
  request.source.requests = 60;
  request.slo = {"tpot_p95_ms=60"};
  request.threads = 1;
  return request;
}

std::string start_line(const PlanRequest& request, const PlanResult& plan, const std::string& format) {
  std::string text;  // with the file of options, where the engine needs one
  for (const EmittedFile& file : emit_plan(request, plan, format)) text += file.contents;
  return text;
}

TEST(AttentionGroups, AreAskedForInEachEnginesWords) {
  struct Words {
    const char *engine, *asked;
  };
  for (const Words& words :
       {Words{"vllm", "--data-parallel-size 2"}, Words{"sglang", "--enable-dp-attention"},
        Words{"trtllm", "--tp_size 2 --ep_size 2"}}) {
    const PlanRequest request = grouped_plan("Qwen/Qwen3-30B-A3B", words.engine);
    const PlanResult plan = make_plan(request, fixed_latency());
    ASSERT_TRUE(plan.search.best.has_value()) << words.engine;
    EXPECT_EQ(plan.labels[*plan.search.best].shape, "tp 1 dp 2 ep") << words.engine;
    const std::string line = start_line(request, plan, words.engine);
    EXPECT_NE(line.find(words.asked), std::string::npos) << line;
    EXPECT_EQ(line.find(R"({"enable_attention_dp":true})") != std::string::npos,
              std::string(words.engine) == "trtllm")
        << line;
  }
}

TEST(AttentionGroups, AreTriedBehindLatentAttentionUnlessTheirNumberIsNamed) {
  const auto tried = [](const std::string& model, const std::vector<std::int64_t>& groups) {
    PlanRequest request = grouped_plan(model, "vllm");
    request.space.tensor_parallel = {8};
    request.space.max_gpus = 64;
    request.space.data_parallel = groups;
    request.source.requests = 4;
    return make_plan(request, fixed_latency()).search.configurations;
  };
  EXPECT_EQ(tried("deepseek-ai/DeepSeek-V3", {}), 2);  // 8 GPUs, and 64 in eight groups
  EXPECT_EQ(tried("deepseek-ai/DeepSeek-V3", {1}), 1);
  EXPECT_EQ(tried("Qwen/Qwen3-30B-A3B", {}), 1);
}

TEST(AttentionGroups, DynamosWorkerHasItsOwnWords) {
  const PlanRequest request = grouped_plan("Qwen/Qwen3-30B-A3B", "trtllm");
  const std::string manifest = start_line(request, make_plan(request, fixed_latency()), "dynamo");
  EXPECT_NE(manifest.find("- '--enable-attention-dp'"), std::string::npos) << manifest;
  EXPECT_NE(manifest.find("- '--tensor-parallel-size'\n          - '2'"), std::string::npos) << manifest;
  EXPECT_EQ(manifest.find("_size"), std::string::npos) << manifest;
}

std::string reasons(const PlanResult& plan) {
  std::string text;
  for (const PlanCount& count : plan.search.without_point)
    text += std::to_string(count.configurations) + " " + count.reason + ": " + count.example + "\n";
  return text;
}

TEST(AttentionGroups, AreLeftOutWithAReasonWhereTheEngineOrTheModelHasNone) {
  const PlanResult wide = make_plan(grouped_plan("Qwen/Qwen3-30B-A3B", "trtllm"), fixed_latency());
  EXPECT_NE(reasons(wide).find("1 engine refuses it: enable_attention_dp: gives each GPU its own attention"),
            std::string::npos)
      << reasons(wide);
  PlanRequest dense = grouped_plan("Llama-3.1-8B", "trtllm");
  dense.space.data_parallel = {1, 2};
  EXPECT_NE(
      reasons(make_plan(dense, fixed_latency())).find("2 model cannot be split that way: data_parallel"),
      std::string::npos);
}

}  // namespace
}  // namespace warploom
