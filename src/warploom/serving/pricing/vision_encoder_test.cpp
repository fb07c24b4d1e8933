#include "warploom/serving/pricing/vision_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

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
  const OperatorGraph graph = vision_operators(encoder, 3, 256, 1);
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
  const auto sharded = vision_operators(encoder, 1, 256, 4);
  EXPECT_EQ(sharded.back().label, "vision_allreduce");
  EXPECT_EQ(vision_operators(encoder, 1, 256, 3).size(), graph.size());  // 16 heads do not divide
  EXPECT_NEAR(vision_weights(encoder, 1).value() / 1e9, 0.67, 0.05);
}

// Each image costs 3 ms.
class ImagePricer final : public StepPricer {
 public:
  StepCost price(const StepBatch& batch) override {
    images += batch.images;
    const Seconds time = milliseconds(1.0 + 3.0 * double(batch.images));
    return {time, time, time, Seconds(0.0)};
  }
  std::vector<KernelTime> breakdown() const override {
    return {{Family::Gemm, "image", Seconds(0), double(images)}};
  }
  std::unique_ptr<StepPricer> clone() const override { return std::make_unique<ImagePricer>(); }
  std::int64_t images = 0;
};

TEST(VisionEncoder, EachImageIsEncodedOnceWithItsPrompt) {
  Workload workload;
  for (int i = 0; i < 20; ++i) workload.requests.push_back({SimTime(), 50, 20});
  add_images(workload, 2, 100);
  EXPECT_EQ(workload.requests[0].input_tokens, 250);
  ServingConfig config;
  config.max_num_batched_tokens = 256;
  config.num_gpu_blocks_override = 60;  // some are preempted
  config.scheduler_reserve_full_isl = false;
  config.host = HostModel{};
  const SimulationResult run = simulate(config, workload, ImagePricer());
  EXPECT_EQ(run.metrics.completed, 20);
  EXPECT_EQ(run.kernels[0].calls, 40);
  // The first step also holds 6 tokens of the second prompt, and so its images: 1 + 4 * 3 ms.
  EXPECT_EQ(run.requests[0].ttft().nanoseconds(), 13'000'000);
  EXPECT_THROW(add_images(workload, 0, 100), InvalidInput);
}

}  // namespace
}  // namespace warploom
