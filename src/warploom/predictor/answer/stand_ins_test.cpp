#include "warploom/predictor/answer/stand_ins.h"

#include <gtest/gtest.h>

#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

const Predictor& shipped_with_stand_ins() {
  static const Predictor predictor;
  return predictor;
}

const FusedMoe kGptOss{.scheme = MatmulScheme::MxFp4A16,
                       .tokens = 32,
                       .hidden = 2880,
                       .intermediate = 2880,
                       .experts = 32,
                       .top_k = 4,
                       .routing = RoutingKind::PowerLaw,
                       .routing_alpha = 1.2};
const KernelContext kTritonKernels{"sglang", "", "triton_kernel"};

TEST(StandIns, AreAsFastAsTheNearestTrueKernelAndSaySo) {
  const Predictor& predictor = shipped_with_stand_ins();
  for (const char* name : {"h100_sxm", "h200_sxm", "l40s"}) {
    const GpuSpec gpu = GpuCatalog().get(name);
    const KernelAnswer answer = predictor.answer(kGptOss, gpu, kTritonKernels);
    const LatencyEstimate vllm = predictor.estimate(kGptOss, gpu, {"vllm", "", ""});
    EXPECT_EQ(answer.estimate.p50, vllm.p50) << name;
    EXPECT_EQ(answer.implementation.framework, "vllm") << name;
    EXPECT_TRUE(answer.estimate.stands_in) << name;
    EXPECT_GT(answer.estimate.p90, 1.3 * answer.estimate.p50) << name;
    EXPECT_GT(answer.estimate.p90, vllm.p90) << name;
    EXPECT_LT(2 * vllm.p50, predictor.estimate(kGptOss, gpu, {"sglang", "", "sglang_fused_moe_triton"}).p50)
        << name << ": the kernel that the tables timed is far slower";
  }
}

TEST(StandIns, LeaveRowsAsTheyWereCollected) {
  const Quantize pass{.rows = 4096, .width = 4096, .dynamic = false};
  const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const Predictor& predictor = shipped_with_stand_ins();
  EXPECT_EQ(stand_in_for(pass, {"sglang", "", "", true}), nullptr);
  EXPECT_NE(stand_in_for(pass, {"sglang", "", ""}), nullptr);
  EXPECT_EQ(stand_in_for(pass, {"vllm", "", ""}), nullptr);
  EXPECT_GT(predictor.estimate(pass, gpu, {"sglang", "", "", true}).p50,
            5 * predictor.estimate(pass, gpu, {"sglang", "", ""}).p50);
}

TEST(StandIns, AnswerABatchAsOneByOne) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  std::vector<Operator> passes;
  for (std::int64_t rows = 1; rows <= 4096; rows *= 2) passes.push_back(Quantize{.rows = rows});
  std::vector<LatencyEstimate> results(passes.size());
  shipped_with_stand_ins().estimate_batch(passes, gpu, {"sglang", "", ""}, results);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const LatencyEstimate one = shipped_with_stand_ins().estimate(passes[i], gpu, {"sglang", "", ""});
    EXPECT_EQ(results[i].p50, one.p50);
    EXPECT_EQ(results[i].p90, one.p90);
    EXPECT_EQ(results[i].stands_in, one.stands_in);
  }
}

}  // namespace
}  // namespace warploom
