#include "warploom/steps/in_step.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/physical_bound.h"

namespace warploom {
namespace {

const GpuSpec& h200_of_streams() {
  static const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  return gpu;
}

LatencyEstimate answer_of(const Operator& op, Seconds p50) {
  return {.p10 = 0.9 * p50,
          .p50 = p50,
          .p90 = 1.2 * p50,
          .physical_bound = physical_bound(op, h200_of_streams()).time,
          .tier = Tier::Measured};
}

// p50 after the rule.
Seconds in_step(const Operator& op, Seconds measured) {
  LatencyEstimate answer = answer_of(op, measured);
  price_in_step(StepRules::shipped(), op, h200_of_streams(), {}, answer);
  return answer.p50;
}

const Gemm kFewRows{.m = 4, .n = 28672, .k = 4096};

TEST(InStep, ReadTheWeightsOnce) {
  const double bytes = 2.0 * 28672 * 4096;
  const Seconds time = in_step(kFewRows, microseconds(500));
  EXPECT_NEAR(time.value(), 5e-6 + bytes / (0.927 * h200_of_streams().memory_bandwidth.value()),
              0.01 * time.value());
}

TEST(InStep, AreNeverLongerThanWhatWasMeasured) {
  EXPECT_EQ(in_step(kFewRows, microseconds(53)), microseconds(53));
}

TEST(InStep, KeepTheShapeOfTheInterval) {
  LatencyEstimate answer = answer_of(kFewRows, microseconds(100));
  price_in_step(StepRules::shipped(), kFewRows, h200_of_streams(), {}, answer);
  ASSERT_LT(answer.p50, microseconds(100));
  EXPECT_NEAR(answer.p90 / answer.p50, 1.2, 1e-9);
  EXPECT_GE(answer.p10, answer.physical_bound);
}

TEST(InStep, LeaveOtherSchemes) {
  Gemm four_bit = kFewRows, fp8 = kFewRows, batched = kFewRows;
  four_bit.scheme = MatmulScheme::Int4WeightOnly;
  fp8.scheme = MatmulScheme::Fp8;
  batched.batch = 2;
  for (const Gemm& op : {four_bit, fp8, batched}) EXPECT_EQ(in_step(op, milliseconds(1)), milliseconds(1));
}

TEST(InStep, ProductsThatComputeTakeLonger) {
  Gemm many = kFewRows;
  many.m = 2048;
  EXPECT_NEAR(in_step(many, milliseconds(1)).value(), 1.03e-3, 1e-12);
}

TEST(InStep, ProductsGoFromStreamingToComputingEvenly) {
  const Seconds table = microseconds(80);  // more than the stream takes up to 256 rows
  const auto at = [&](std::int64_t rows) {
    Gemm product = kFewRows;
    product.m = rows;
    return in_step(product, table);
  };
  EXPECT_NEAR(at(129) / at(128), 1, 0.005);
  EXPECT_NEAR(at(255) / at(256), 1, 0.005);
  EXPECT_LT(at(128), at(192));
  EXPECT_LT(at(192), at(256));
  EXPECT_EQ(at(256), 1.03 * table);
}

TEST(InStep, ExpertsLoseTheReplayButNotTheirBytes) {
  const FusedMoe few{.tokens = 1, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8};
  FusedMoe many = few;
  many.tokens = 960;  // below 64 rows an expert
  EXPECT_NEAR((milliseconds(1) - in_step(many, milliseconds(1))).value(), 17e-6, 1e-12);
  const double bytes = 8 * 3.0 * 2048 * 768 * 2;
  EXPECT_NEAR(in_step(few, microseconds(40)).value(),
              14e-6 + bytes / (0.858 * h200_of_streams().memory_bandwidth.value()), 1e-9);
}

TEST(InStep, LongMixturesMeetThePowerLimit) {
  const FusedMoe long_prompt{.tokens = 8192, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8};
  const Seconds burst = milliseconds(1.4);
  EXPECT_GT(in_step(long_prompt, burst), 1.08 * burst);
  EXPECT_LT(in_step(long_prompt, burst), 1.15 * burst);
  EXPECT_LT(in_step(long_prompt, 4 * burst), 4 * burst) << "not when the matrix units mostly wait";
}

TEST(InStep, KnowsTritonsExpertsAlone) {
  const FusedMoe op{.tokens = 1, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8};
  const auto is_changed = [](const Operator& changed, std::string_view kernel) {
    LatencyEstimate answer = answer_of(changed, milliseconds(1));
    price_in_step(StepRules::shipped(), changed, h200_of_streams(), {.framework = "vllm", .kernel = kernel},
                  answer);
    return answer.in_step;
  };
  EXPECT_TRUE(is_changed(op, ""));
  EXPECT_TRUE(is_changed(op, "vllm_unquantizedfusedmoe_triton_tritonexperts"));
  EXPECT_FALSE(is_changed(op, "vllm_unquantizedfusedmoe_flashinfer_cutlass_flashinferexperts"));
  EXPECT_FALSE(is_changed(RmsNorm{}, ""));
}

// SGLang of early 2026 tunes FlashInfer's experts with a decoding step alone.
TEST(InStep, ExpertsOfPromptsRunUntunedWhereTheEngineTunesForDecodingAlone) {
  FusedMoe prompt{.tokens = 8192, .hidden = 4096, .intermediate = 1024, .experts = 512, .top_k = 10};
  prompt.scheme = MatmulScheme::Fp8Block;
  FusedMoe decoding = prompt, bf16 = prompt;
  decoding.tokens = 128;
  bf16.scheme = MatmulScheme::Bf16;
  const auto times = [](const FusedMoe& op, const char* gpu, const KernelContext& context) {
    const GpuSpec spec = GpuCatalog().get(gpu);
    LatencyEstimate answer{.p10 = milliseconds(9), .p50 = milliseconds(10), .p90 = milliseconds(12)};
    price_in_step(StepRules::shipped(), op, spec, context, answer);
    return answer.p50 / milliseconds(10);
  };
  const KernelContext asked{.framework = "sglang", .version = "0.5.9"};
  EXPECT_GT(times(prompt, "b200_sxm", asked), 1.5);
  EXPECT_EQ(times(prompt, "b200_sxm", {"sglang", "0.5.9", "sglang_flashinfer_trtllm_moe"}),
            times(prompt, "b200_sxm", asked));
  EXPECT_EQ(times(prompt, "b200_sxm", {"sglang", "0.5.8", {}}), 1) << "nothing was measured of it";
  EXPECT_EQ(times(decoding, "b200_sxm", asked), 1);
  EXPECT_EQ(times(bf16, "b200_sxm", asked), 1);
  EXPECT_EQ(times(prompt, "h200_sxm", asked), 1);
  EXPECT_EQ(times(prompt, "b200_sxm", {"sglang", "0.5.9", "sglang_fused_moe_triton"}), 1);
  EXPECT_EQ(times(prompt, "b200_sxm", {"sglang", "0.5.14", {}}), 1);
  EXPECT_EQ(times(prompt, "b200_sxm", {"sglang", {}, {}}), 1) << "nothing says that it is so old";
  EXPECT_EQ(times(prompt, "b200_sxm", {"vllm", "0.24.0", {}}), 1);
}

}  // namespace
}  // namespace warploom
