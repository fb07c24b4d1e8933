// The routing of experts that a user asks for, wherever a mixture is priced.
#include <gtest/gtest.h>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/base/error.h"
#include "warploom/kernels/roofline.h"

namespace warploom {
namespace {

ServingSetupRequest routed_setup(const char* model, const char* routing) {
  ServingSetupRequest request;
  request.model = model;
  request.gpu = "h200_sxm";
  request.expert_routing = routing;
  return request;
}

constexpr const char* kMixture = "Qwen3-30B-A3B-Instruct-2507";

TEST(ExpertRoutingOfASetup, IsThatOfItsGraph) {
  const auto routing = [](const char* asked) {
    return resolve_serving(routed_setup(kMixture, asked), fixed_latency()).expert_routing();
  };
  EXPECT_EQ(routing(""), "power_law:1.2");
  EXPECT_EQ(routing("uniform"), "uniform");
  EXPECT_EQ(routing("power_law:1.01"), "power_law:1.01");
  EXPECT_EQ(resolve_serving(routed_setup("Llama-3.1-8B", ""), fixed_latency()).expert_routing(), "");
}

TEST(ExpertRoutingOfASetup, IsRefusedWhereThereAreNoExperts) {
  for (const auto& request : {routed_setup("Llama-3.1-8B", "uniform"), routed_setup(kMixture, "unifrom")}) {
    try {
      resolve_serving(request, fixed_latency());
      ADD_FAILURE() << request.model;
    } catch (const InvalidInput& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("expert_routing: ")) << error.what();
    }
  }
}

Seconds experts_of_a_step(const char* routing, const char* decode) {
  const StepBreakdown step =
      price_step({.setup = routed_setup(kMixture, routing), .prefill = {}, .decode = decode},
                 std::make_shared<const RooflineModel>());
  EXPECT_EQ(step.expert_routing, *routing == '\0' ? "power_law:1.2" : routing);
  for (const KernelRow& kernel : step.kernels)
    if (kernel.family == Family::Moe) return kernel.p50;
  return {};
}

// 16 tokens reach 128 experts, 82 or 58; each expert is weights to read.
TEST(ExpertRoutingOfAStep, FewTokensReadTheExpertsThatTheyReach) {
  const Seconds even = experts_of_a_step("balanced", "16x500"),
                random = experts_of_a_step("uniform", "16x500"), skewed = experts_of_a_step("", "16x500");
  EXPECT_LT(skewed, random);
  EXPECT_LT(random, even);
  EXPECT_NEAR(random / even, 82.4 / 128, 0.1);
}

TEST(ExpertRoutingOfAPrediction, TakesThePlaceOfTheOperatorsOwn) {
  PredictRequest request;
  request.gpu = "h200_sxm";
  request.predictor = "roofline";
  FusedMoe op{.tokens = 16, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8};
  request.op = op;
  request.expert_routing = "uniform";
  const PredictResult asked = predict_operator(request);
  op.routing = RoutingKind::Uniform;
  EXPECT_EQ(std::get<FusedMoe>(asked.op).routing, RoutingKind::Uniform);
  request.op = op;
  request.expert_routing = {};
  EXPECT_EQ(asked.estimate.p50, predict_operator(request).estimate.p50);
  request.op = Gemm{};
  request.expert_routing = "uniform";
  EXPECT_THROW(predict_operator(request), InvalidInput);
}

}  // namespace
}  // namespace warploom
