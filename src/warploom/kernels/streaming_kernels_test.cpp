#include "warploom/kernels/streaming_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

class Fixed final : public LatencyModel {
 public:
  explicit Fixed(Seconds p50) : p50_(p50) {}
  LatencyEstimate estimate(const Operator&, const GpuSpec&, const KernelContext&) const override {
    return {.p10 = 0.9 * p50_, .p50 = p50_, .p90 = 1.5 * p50_, .tier = Tier::CrossGpu};
  }

  KernelContext resolved_context(const Operator&, const GpuSpec&,
                                 const KernelContext& context) const override {
    return context;
  }

 private:
  Seconds p50_;
};

// Two rows of 8,192 bf16 values read and written for each token.
const RmsNorm kNorm{.tokens = 8192, .width = 8192, .residual = true};

StreamingKernels over(Seconds measured) { return StreamingKernels(std::make_unique<Fixed>(measured)); }

TEST(StreamingKernels, StreamAtFourFifthsOfTheMemory) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const LatencyEstimate answer = over(milliseconds(1)).estimate(kNorm, gpu);
  const double bytes = 4.0 * 8192 * 8192 * 2;
  EXPECT_NEAR(answer.p50.value(), 3e-6 + bytes / (0.8 * gpu.memory_bandwidth.value()), 1e-6);
  EXPECT_LE(answer.p10, answer.p50);
  EXPECT_EQ(answer.p90, milliseconds(1.5));
  EXPECT_EQ(answer.tier, Tier::CrossGpu);
}

TEST(StreamingKernels, LeaveFasterKernelsAndOtherFamilies) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  EXPECT_EQ(over(microseconds(100)).estimate(kNorm, gpu).p50, microseconds(100));
  EXPECT_EQ(over(milliseconds(1)).estimate(Gemm{.m = 1, .n = 1, .k = 1}, gpu).p50, milliseconds(1));
}

TEST(StreamingKernels, LeaveAKernelThatIsAskedForByNameAsItWasMeasured) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const StreamingKernels model = over(milliseconds(1));
  for (const KernelContext& swept : {KernelContext{"vllm", "0.24.0", "rms_norm"},
                                     KernelContext{"", "", "vidur"}, KernelContext{"pipeweave", "", ""}}) {
    EXPECT_EQ(model.estimate(kNorm, gpu, swept).p50, milliseconds(1)) << swept.framework << swept.kernel;
    EXPECT_EQ(model.resolved_context(kNorm, gpu, swept).kernel, swept.kernel);
  }
  for (const char* engine : {"", "vllm", "sglang", "trtllm"}) {
    EXPECT_LT(model.estimate(kNorm, gpu, {engine, "", ""}).p50, microseconds(300)) << engine;
    EXPECT_EQ(model.resolved_context(kNorm, gpu, {engine, "", ""}).kernel, kStreamingKernel) << engine;
  }
}

TEST(StreamingKernels, AnswerByTheirOwnNameWhatTheyAnsweredBefore) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const StreamingKernels model = over(milliseconds(1));
  const LatencyEstimate first = model.estimate(kNorm, gpu, {"sglang", "", ""});
  const LatencyEstimate again =
      model.estimate(kNorm, gpu, model.resolved_context(kNorm, gpu, {"sglang", "", ""}));
  EXPECT_EQ(first.p50, again.p50);
  EXPECT_EQ(first.p10, again.p10);
  EXPECT_EQ(first.p90, again.p90);
}

TEST(StreamingKernels, AnswerABatchAsOneByOne) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const StreamingKernels model = over(milliseconds(1));
  const std::vector<Operator> operators{kNorm, Gemm{.m = 1, .n = 1, .k = 1}, Rope{.tokens = 7}};
  std::vector<LatencyEstimate> answers(operators.size());
  model.estimate_batch(operators, gpu, {}, answers);
  for (std::size_t i = 0; i < operators.size(); ++i)
    EXPECT_EQ(answers[i].p50, model.estimate(operators[i], gpu).p50) << i;
}

}  // namespace
}  // namespace warploom
