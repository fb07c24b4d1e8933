#include "warploom/steps/step_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/roofline.h"
#include "warploom/steps/step_sampling.h"

namespace warploom {
namespace {

class Fixed final : public LatencyModel {
 public:
  explicit Fixed(Seconds p50) : p50_(p50) {}
  LatencyEstimate estimate(const Operator&, const GpuSpec&, const KernelContext&) const override {
    return {.p10 = 0.9 * p50_, .p50 = p50_, .p90 = 1.5 * p50_, .tier = Tier::CrossGpu};
  }

  KernelAnswer answer(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const override {
    return {.estimate = estimate(op, gpu, context), .implementation = context};
  }

 private:
  Seconds p50_;
};

// A kernel of another engine, far from its data, and bound by physics.
class Slow final : public LatencyModel {
 public:
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu, const KernelContext&) const override {
    const Seconds bound = physical_bound(op, gpu).time;
    return {.p10 = 10 * bound,
            .p50 = 100 * bound + milliseconds(1),
            .p90 = 200 * bound + milliseconds(2),
            .physical_bound = bound,
            .tier = Tier::Measured,
            .extrapolated = true,
            .stands_in = true};
  }
};

// Two rows of 8,192 bf16 values read and written for each token.
const RmsNorm kNorm{.tokens = 8192, .width = 8192, .residual = true};

StepKernels over(Seconds measured) { return StepKernels(std::make_unique<Fixed>(measured)); }

TEST(StepKernels, StreamAtFourFifthsOfTheMemory) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const LatencyEstimate answer = over(milliseconds(1)).estimate(kNorm, gpu, {"sglang", "", ""});
  const double bytes = 4.0 * 8192 * 8192 * 2;
  EXPECT_NEAR(answer.p50.value(), 3e-6 + bytes / (0.8 * gpu.memory_bandwidth.value()), 1e-6);
}

TEST(StepKernels, HaveTheTierAndTheIntervalOfTheRuleAndNotOfTheKernelTheyReplace) {
  const StepKernels model = over(milliseconds(1));
  const LatencyEstimate seen = model.estimate(kNorm, GpuCatalog().get("h200_sxm"), {"vllm", "", ""});
  const LatencyEstimate elsewhere = model.estimate(kNorm, GpuCatalog().get("h100_sxm"), {"vllm", "", ""});
  EXPECT_EQ(seen.tier, Tier::Measured);
  EXPECT_EQ(elsewhere.tier, Tier::CrossGpu);
  EXPECT_LT(seen.p10, seen.p50);
  EXPECT_LE(seen.p50, seen.p90);
  EXPECT_LT(elsewhere.p10, elsewhere.p50);
  EXPECT_LT(elsewhere.p50, elsewhere.p90);
  EXPECT_LT(elsewhere.p90, milliseconds(1.5));
  EXPECT_GT(elsewhere.p90 / elsewhere.p10, seen.p90 / seen.p10);
  const LatencyEstimate other = model.estimate(kNorm, GpuCatalog().get("h200_sxm"), {"trtllm", "", ""});
  EXPECT_EQ(other.tier, Tier::CrossGpu) << "the rule was never judged on its kernels";
}

TEST(StepKernels, AreOfTierMeasuredInTheReleaseThatTheyWereFittedOnAlone) {
  const StepKernels model = over(milliseconds(1));
  const GpuSpec h200 = GpuCatalog().get("h200_sxm");
  const Operator norm = kNorm, words = Sampling{.sequences = 8};
  for (const Operator& op : {norm, words}) {
    const LatencyEstimate fitted = model.estimate(op, h200, {"vllm", "0.24.0", ""});
    const LatencyEstimate older = model.estimate(op, h200, {"vllm", "0.14.0", ""});
    EXPECT_EQ(fitted.tier, Tier::Measured);
    EXPECT_EQ(older.tier, Tier::CrossGpu);
    EXPECT_GT(older.p90 / older.p10, 1.3 * (fitted.p90 / fitted.p10));
  }
}

TEST(StepKernels, CorrectionsOutsideOfTheirReleaseHoldThatThereIsNone) {
  const StepKernels model = over(milliseconds(1));
  const GpuSpec h200 = GpuCatalog().get("h200_sxm");
  const Gemm product{.m = 4, .n = 28672, .k = 4096};  // far less than a millisecond in a step
  const LatencyEstimate fitted = model.estimate(product, h200, {"vllm", "0.24.0", ""});
  const LatencyEstimate older = model.estimate(product, h200, {"vllm", "0.14.0", ""});
  EXPECT_EQ(older.p50, fitted.p50);
  EXPECT_LT(fitted.p90, milliseconds(1));
  EXPECT_GE(older.p90, milliseconds(1));
}

TEST(StepKernels, AreNoFasterThanPhysicsEvenAtTheirEdge) {
  const StepKernels model = StepKernels(std::make_unique<Slow>());
  const GpuCatalog catalog;
  for (const GpuSpec& gpu : catalog.gpus())
    for (const Operator& op : {Operator(kNorm), Operator(Activation{.tokens = 4096}),
                               Operator(Rope{.tokens = 4096}), Operator(KvWrite{.tokens = 4096})}) {
      const LatencyEstimate answer = model.estimate(op, gpu);
      EXPECT_GE(answer.p10, answer.physical_bound) << gpu.name;
      EXPECT_LE(answer.p10, answer.p50) << gpu.name;
      EXPECT_LE(answer.p50, answer.p90) << gpu.name;
    }
}

// What an engine's own sweep of a product leaves out, and what a step's price holds of it.
TEST(StepKernels, TellWhatQuantisesTheRowsOfAProduct) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const StepKernels model = over(microseconds(10));
  Gemm product{.scheme = MatmulScheme::Fp8Block, .m = 512, .n = 4096, .k = 4096};
  const KernelContext engine{.framework = "vllm", .version = "0.33.0", .kernel = {}};
  const auto passes = model.passes_over_rows(product, gpu, engine);
  ASSERT_TRUE(passes);
  EXPECT_GE(passes->in_tables, microseconds(10)) << "a pass of the tables at least";
  EXPECT_GT(passes->in_step, microseconds(2.85)) << "a row of the rule, and its elements";
  EXPECT_FALSE(model.passes_over_rows(product, gpu, {.framework = "pytorch", .version = {}, .kernel = {}}));
  product.scheme = MatmulScheme::Bf16;
  EXPECT_FALSE(model.passes_over_rows(product, gpu, engine));
}

TEST(StepKernels, StandInForNothing) {
  const LatencyEstimate answer =
      StepKernels(std::make_unique<Slow>()).estimate(kNorm, GpuCatalog().get("h100_sxm"));
  EXPECT_FALSE(answer.stands_in);
  EXPECT_FALSE(answer.extrapolated);
}

TEST(StepKernels, LeaveFasterKernelsAndOtherFamilies) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  EXPECT_EQ(over(microseconds(100)).estimate(kNorm, gpu).p50, microseconds(100));
  EXPECT_EQ(over(milliseconds(1)).estimate(Gemm{.m = 1, .n = 1, .k = 1}, gpu).p50, milliseconds(1));
}

TEST(StepKernels, StreamFasterInVllmAndThereAnswerAlsoWhereTheyAreSlower) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const StepKernels slow = over(milliseconds(1)), fast = over(microseconds(1));
  const Seconds vllm = slow.estimate(kNorm, gpu, {"vllm", "", ""}).p50;
  EXPECT_LT(vllm, slow.estimate(kNorm, gpu, {"sglang", "", ""}).p50);
  EXPECT_EQ(fast.estimate(kNorm, gpu, {"vllm", "", ""}).p50, vllm) << "the rule was measured here";
  EXPECT_EQ(fast.estimate(kNorm, GpuCatalog().get("h100_sxm"), {"vllm", "", ""}).p50, microseconds(1));
}

TEST(StepKernels, WriteTheCacheMoreSlowlyThanTheyNormalise) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const KvWrite write{.tokens = 8192, .kv_heads = 8, .head_dim = 128};
  const RmsNorm same_bytes{.tokens = 8192, .width = 2048};
  const StepKernels model = over(milliseconds(1));
  EXPECT_GT(model.estimate(write, gpu, {"vllm", "", ""}).p50,
            2 * model.estimate(same_bytes, gpu, {"vllm", "", ""}).p50);
}

TEST(StepKernels, LeaveAKernelThatIsAskedForByNameAsItWasMeasured) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const StepKernels model = over(milliseconds(1));
  for (const KernelContext& swept : {KernelContext{"vllm", "0.24.0", "rms_norm"},
                                     KernelContext{"", "", "vidur"}, KernelContext{"pipeweave", "", ""}}) {
    EXPECT_EQ(model.estimate(kNorm, gpu, swept).p50, milliseconds(1)) << swept.framework << swept.kernel;
    EXPECT_EQ(model.answer(kNorm, gpu, swept).implementation.kernel, swept.kernel);
  }
  for (const char* engine : {"", "vllm", "sglang", "trtllm"}) {
    EXPECT_LT(model.estimate(kNorm, gpu, {engine, "", ""}).p50, microseconds(300)) << engine;
    EXPECT_EQ(model.answer(kNorm, gpu, {engine, "", ""}).implementation.kernel, kStreamingKernel) << engine;
  }
}

TEST(StepKernels, AnswerByTheirOwnNameWhatTheyAnsweredBefore) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const StepKernels model = over(milliseconds(1));
  const KernelAnswer answer = model.answer(kNorm, gpu, {"sglang", "", ""});
  const LatencyEstimate& first = answer.estimate;
  const LatencyEstimate again = model.estimate(kNorm, gpu, answer.implementation);
  EXPECT_EQ(first.p50, again.p50);
  EXPECT_EQ(first.p10, again.p10);
  EXPECT_EQ(first.p90, again.p90);
}

TEST(StepKernels, AnswerABatchAsOneByOne) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const StepKernels model = over(milliseconds(1));
  const std::vector<Operator> operators{kNorm, Gemm{.m = 1, .n = 1, .k = 1}, Rope{.tokens = 7}};
  std::vector<LatencyEstimate> answers(operators.size());
  model.estimate_batch(operators, gpu, {}, answers);
  for (std::size_t i = 0; i < operators.size(); ++i)
    EXPECT_EQ(answers[i].p50, model.estimate(operators[i], gpu).p50) << i;
}

TEST(StepKernels, ChangeWhatRunsInAStepAndSayIt) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const StepKernels model = over(milliseconds(1));
  const Gemm product{.m = 1, .n = 28672, .k = 4096};
  const Collective gather{.kind = CollectiveKind::AllGather, .size = Bytes(4096)};
  for (const Operator& op : {Operator(product), Operator(gather)}) {
    EXPECT_TRUE(model.estimate(op, gpu, {"vllm", "", ""}).in_step);
    EXPECT_NE(model.estimate(op, gpu, {"vllm", "", ""}).p50, milliseconds(1));
    const LatencyEstimate swept = model.estimate(op, gpu, {"vllm", "", "", true});
    EXPECT_FALSE(swept.in_step);
    EXPECT_EQ(swept.p50, milliseconds(1));
  }
  EXPECT_TRUE(model.estimate(product, gpu, {"sglang", "", ""}).in_step) << "by a file of its own";
  EXPECT_FALSE(model.estimate(product, gpu, {"trtllm", "", ""}).in_step);
  EXPECT_FALSE(model.estimate(product, GpuCatalog().get("h100_sxm"), {"vllm", "", ""}).in_step);
}

const Sampling kWords{.sequences = 64, .vocabulary = 128256};

TEST(StepKernels, PriceSamplingInVllmByARuleOfItsOwnName) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  for (const Seconds measured : {microseconds(1), milliseconds(1)}) {
    const StepKernels model = over(measured);
    const KernelAnswer answer = model.answer(kWords, gpu, {"vllm", "0.24.0", ""});
    EXPECT_EQ(answer.implementation.kernel, kSamplingKernel);
    EXPECT_EQ(answer.implementation.version, "0.24.0");
    EXPECT_EQ(answer.estimate.p50,
              step_sampling_price(StepRules::shipped().find(RuleKind::Sampling, gpu, {}), kWords).time)
        << "slower or faster";
    EXPECT_TRUE(answer.estimate.in_step);
    EXPECT_EQ(model.estimate(kWords, gpu, answer.implementation).p90, answer.estimate.p90) << "by its name";
  }
}

TEST(StepKernels, PriceTheChoiceOfExpertsInVllmByItsOwnRule) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const StepKernels model = over(milliseconds(1));
  const Sampling experts{.sequences = 64, .vocabulary = 256};
  const KernelAnswer answer = model.answer(experts, gpu, {"vllm", "0.24.0", ""});
  EXPECT_EQ(answer.implementation.kernel, kExpertChoiceKernel);
  EXPECT_EQ(answer.estimate.p50,
            step_sampling_price(StepRules::shipped().find(RuleKind::ExpertChoice, gpu, {}), experts).time);
  EXPECT_EQ(model.estimate(experts, gpu, answer.implementation).p50, answer.estimate.p50) << "by its name";
  EXPECT_EQ(model.estimate(experts, gpu, {"sglang", "", ""}).p50, milliseconds(1));
}

TEST(StepKernels, LeaveSamplingThatNoFileIsOf) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const StepKernels model = over(milliseconds(1));
  for (const KernelContext& other :
       {KernelContext{}, KernelContext{"trtllm", "", ""}, KernelContext{"trtllm", "", kSamplingKernel},
        KernelContext{"vllm", "", "swept"}, KernelContext{"vllm", "", "", true},
        KernelContext{"vllm", "", kStreamingKernel}}) {
    EXPECT_EQ(model.estimate(kWords, gpu, other).p50, milliseconds(1)) << other.framework << other.kernel;
    EXPECT_NE(model.answer(kWords, gpu, other).implementation.kernel, kSamplingKernel) << other.framework;
  }
  const Sampling of_few_experts{.sequences = 64, .vocabulary = 8};
  EXPECT_EQ(model.estimate(of_few_experts, gpu, {"vllm", "", ""}).p50, milliseconds(1));
}

TEST(StepKernels, NameTheRuleOfAnOperator) {
  EXPECT_EQ(rule_of(kNorm), kStreamingKernel);
  EXPECT_EQ(rule_of(kWords), kSamplingKernel);
  EXPECT_EQ(rule_of(Sampling{.sequences = 64, .vocabulary = 256}), kExpertChoiceKernel);
  EXPECT_EQ(rule_of(Gemm{}), "");
}

TEST(StepKernels, LeavePhysicsAlone) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const StepKernels model(std::make_unique<RooflineModel>());
  for (const Operator& op : {Operator(kNorm), Operator(KvWrite{.tokens = 4096}), Operator(Gemm{.m = 4096}),
                             Operator(Collective{.size = Bytes(4096)})}) {
    const LatencyEstimate answer = model.estimate(op, gpu, {"vllm", "", ""});
    const LatencyEstimate physics = RooflineModel().estimate(op, gpu);
    EXPECT_EQ(answer.p50, physics.p50);
    EXPECT_EQ(answer.p90, physics.p90);
    EXPECT_FALSE(answer.in_step);
  }
}

TEST(StepKernels, WidenAttentionInsideAStep) {
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const StepKernels model = over(milliseconds(1));
  const AttentionPrefill op{.heads = 32, .kv_heads = 8, .requests = {{.count = 8, .query_tokens = 500}}};
  const LatencyEstimate step = model.estimate(op, gpu, {"vllm", "", ""});
  const LatencyEstimate swept = model.estimate(op, gpu, {"vllm", "", "", true});
  EXPECT_EQ(step.p50, swept.p50);
  EXPECT_LT(step.p10, swept.p10);
  EXPECT_GT(step.p90, swept.p90);
}

}  // namespace
}  // namespace warploom
