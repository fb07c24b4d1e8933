// What a collector did otherwise than engines do is part of its rows, and of no answer.
#include <gtest/gtest.h>

#include "warploom/measurements/dataset.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

// Experts over eight GPUs: in SGLang 0.5.10's rows the choices of other ranks are rows of the first expert.
FusedMoe spread_experts() {
  FusedMoe op;
  op.scheme = MatmulScheme::Fp8Block;
  op.tokens = 4096;
  op.hidden = 7168;
  op.intermediate = 2048;
  op.experts = 256;
  op.top_k = 8;
  op.expert_parallel = 8;
  return op;
}

TEST(CollectedRows, AreNotWhatUsersAskFor) {
  const Predictor predictor;
  const GpuCatalog catalog;
  for (const char* gpu : {"h200_sxm", "h100_sxm", "a100_sxm"}) {
    const auto seconds = [&](const char* version, bool as_collected) {
      return predictor.estimate(spread_experts(), catalog.get(gpu), {"sglang", version, {}, as_collected})
          .p50.value();
    };
    EXPECT_LT(seconds("0.5.10", false), 1.4 * seconds("0.5.14", false)) << gpu;  // was 2.8
    EXPECT_GT(seconds("0.5.10", true), 1.7 * seconds("0.5.10", false)) << gpu;
    // All but what L2 kept of these experts, far more than fit there.
    EXPECT_NEAR(seconds("0.5.14", true) / seconds("0.5.14", false), 1, 1e-6) << gpu;
  }
}

TEST(CollectedRows, AreWhatADatasetAsksFor) {
  Dataset dataset;
  dataset.add({Operator(spread_experts()),
               "h200_sxm",
               "sglang",
               "0.5.10",
               "sglang_fused_moe_triton",
               Seconds(1e-3),
               1,
               Layout::Warploom,
               {}});
  EXPECT_TRUE(dataset.context(0).as_collected);
  EXPECT_FALSE(KernelContext{}.as_collected);
}

}  // namespace
}  // namespace warploom
