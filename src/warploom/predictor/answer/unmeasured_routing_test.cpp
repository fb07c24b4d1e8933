#include "warploom/predictor/answer/unmeasured_routing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

RoutedAnswer routed(double log_base, double log_p50, bool extrapolated = false) {
  RoutedAnswer known;
  known.log_base = log_base;
  known.answer.log_p50 = log_p50;
  known.answer.low = -0.1;
  known.answer.high = 0.1;
  known.answer.extrapolated = extrapolated;
  return known;
}

TEST(BetweenRoutings, KeepsTheRatioToStructure) {
  const std::vector<RoutedAnswer> one{routed(-9, -8.8)};
  const LogEstimate answer = between_routings(-9.3, one);
  EXPECT_NEAR(answer.log_p50, -9.1, 1e-12);
  EXPECT_NEAR(answer.high, 0.1, 1e-12);  // one ratio, none to differ from
}

TEST(BetweenRoutings, TheNearerCountsMore) {
  const std::vector<RoutedAnswer> two{routed(-9, -8.8), routed(-10, -10)};
  const auto ratio = [&](double log_base) { return between_routings(log_base, two).log_p50 - log_base; };
  EXPECT_NEAR(ratio(-9), 0.2, 1e-3);
  EXPECT_NEAR(ratio(-10), 0, 1e-3);
  EXPECT_NEAR(ratio(-9.5), 0.1, 1e-12);
  EXPECT_GT(ratio(-9.3), 0.1);
  EXPECT_GT(between_routings(-9.5, two).high, std::hypot(0.1, 0.09));
}

TEST(BetweenRoutings, LeavesOutWhatTheDomainDoesNotHold) {
  const std::vector<RoutedAnswer> two{routed(-9, -8.8, true), routed(-10, -10)};
  EXPECT_NEAR(between_routings(-9, two).log_p50, -9, 1e-12);
  EXPECT_FALSE(between_routings(-9, two).extrapolated);
  const std::vector<RoutedAnswer> outside{routed(-9, -8.8, true), routed(-10, -10, true)};
  EXPECT_TRUE(between_routings(-9, outside).extrapolated);
}

TEST(BetweenRoutings, LeavesOutWhatItsOwnWeightsContradict) {
  std::vector<RoutedAnswer> two{routed(-9, -9.6), routed(-9.2, -9.1)};
  two[0].contradicted = true;
  EXPECT_NEAR(between_routings(-9, two).log_p50, -8.9, 1e-12);
  two[1].contradicted = true;
  EXPECT_LT(between_routings(-9, two).log_p50, -9.5);  // all or none
}

const Predictor& shipped_experts() {
  static const Predictor predictor;
  return predictor;
}

FusedMoe qwen_experts(std::int64_t tokens, RoutingKind routing, double alpha = 0) {
  FusedMoe op;
  op.tokens = tokens;
  op.hidden = 2048;
  op.intermediate = 768;
  op.experts = 128;
  op.top_k = 8;
  op.routing = routing;
  op.routing_alpha = alpha;
  return op;
}

// Between what was measured, and said to be so. Measured: balanced 305 us, a power law of 1.2 164 us.
TEST(UniformAnswer, LiesBetweenMeasuredRoutings) {
  const GpuCatalog gpus;
  const GpuSpec& h200 = gpus.get("h200_sxm");
  const KernelContext vllm{"vllm", "0.24.0", ""};
  const auto time = [&](const FusedMoe& op) { return shipped_experts().estimate(op, h200, vllm); };
  const LatencyEstimate few = time(qwen_experts(16, RoutingKind::Uniform));
  EXPECT_LT(few.p50, time(qwen_experts(16, RoutingKind::Balanced)).p50);
  EXPECT_GT(few.p50, time(qwen_experts(16, RoutingKind::PowerLaw, 1.2)).p50);
  EXPECT_TRUE(few.stands_in);
  EXPECT_EQ(few.tier, Tier::Measured);
  EXPECT_FALSE(time(qwen_experts(16, RoutingKind::PowerLaw, 1.2)).stands_in);
  const LatencyEstimate many = time(qwen_experts(2048, RoutingKind::Uniform));
  EXPECT_GT(many.p50, time(qwen_experts(2048, RoutingKind::Balanced)).p50);
  EXPECT_LT(many.p50, time(qwen_experts(2048, RoutingKind::PowerLaw, 1.2)).p50);
}

// Public rows say that 128 tokens which choose 8 of 256 experts evenly take 1,462 us (vLLM 0.25, H200). The
// weights of 256 experts are 11.3 GB, for which HBM needs 2.3 ms: the rows cannot have read them all.
TEST(UniformAnswer, IsNotFasterThanItsWeights) {
  const GpuCatalog gpus;
  const GpuSpec& h200 = gpus.get("h200_sxm");
  FusedMoe op;
  op.scheme = MatmulScheme::Fp8Block;
  op.tokens = 128, op.hidden = 7168, op.intermediate = 2048, op.experts = 256, op.top_k = 8;
  op.routing = RoutingKind::Uniform;
  const double expected_hit = 256 * (1 - std::pow(1 - 8.0 / 256, 128));
  const double weights = expected_hit * 3 * 7168 * 2048;
  const LatencyEstimate answer = shipped_experts().estimate(op, h200, {"vllm", "0.25.0", ""});
  EXPECT_GT(answer.p50.value(), weights / h200.memory_bandwidth.value());
  RoutingLoad all;
  all.experts_hit = 256;
  EXPECT_TRUE(is_contradicted(std::log(1.462e-3), op, all, h200));
  EXPECT_FALSE(is_contradicted(std::log(2.4e-3), op, all, h200));
}

TEST(UniformAnswer, IsTheSameOfABatchOfAllRoutings) {
  const GpuCatalog gpus;
  const KernelContext vllm{"vllm", "0.24.0", ""};
  std::vector<Operator> operators;
  for (std::int64_t tokens = 1; tokens < 5000; tokens = tokens * 3 / 2 + 1) {
    operators.emplace_back(qwen_experts(tokens, RoutingKind::Uniform));
    operators.emplace_back(qwen_experts(tokens, RoutingKind::PowerLaw, 1.2));
    operators.emplace_back(qwen_experts(tokens, RoutingKind::Balanced));
  }
  for (const char* gpu : {"h200_sxm", "a100_sxm", "a40"}) {
    std::vector<LatencyEstimate> answers(operators.size());
    shipped_experts().estimate_batch(operators, gpus.get(gpu), vllm, answers);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const LatencyEstimate one = shipped_experts().estimate(operators[i], gpus.get(gpu), vllm);
      EXPECT_EQ(answers[i].p50, one.p50) << gpu << " " << i;
      EXPECT_EQ(answers[i].p10, one.p10) << gpu << " " << i;
      EXPECT_EQ(answers[i].p90, one.p90) << gpu << " " << i;
      EXPECT_EQ(answers[i].stands_in, one.stands_in) << gpu << " " << i;
      EXPECT_GE(one.p10, one.physical_bound * (1 - 1e-12)) << gpu << " " << i;
    }
  }
}

}  // namespace
}  // namespace warploom
