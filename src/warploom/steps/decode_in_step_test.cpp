#include "warploom/steps/decode_in_step.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/physical_bound.h"

namespace warploom {
namespace {

const GpuSpec& h200_of_decoding() {
  static const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  return gpu;
}

AttentionDecode decoding(std::int64_t requests, std::int64_t context) {
  return {.heads = 32, .kv_heads = 8, .requests = {{.count = requests, .context_tokens = context}}};
}

LatencyEstimate priced_decode(const AttentionDecode& op, const KernelContext& context = {}) {
  LatencyEstimate answer{.p10 = microseconds(900),
                         .p50 = milliseconds(1),
                         .p90 = milliseconds(2),
                         .physical_bound = physical_bound(op, h200_of_decoding()).time,
                         .tier = Tier::Measured,
                         .extrapolated = true};
  EXPECT_TRUE(price_decode_in_step(StepRules::shipped(), op, h200_of_decoding(), context, answer));
  return answer;
}

// Llama-3.1-8B in a step of vLLM 0.24 on an H200 (tests/fixtures/engine/vllm_0_24_h200/steps).
TEST(DecodeInStep, TakeWhatAnEnginesStepsShow) {
  EXPECT_NEAR(to_microseconds(priced_decode(decoding(1, 507)).p50), 12.8, 0.06 * 12.8);
  EXPECT_NEAR(to_microseconds(priced_decode(decoding(16, 518)).p50), 21.4, 0.06 * 21.4);
  EXPECT_NEAR(to_microseconds(priced_decode(decoding(128, 526)).p50), 92.4, 0.06 * 92.4);
  EXPECT_NEAR(to_microseconds(priced_decode(decoding(48, 4022)).p50), 190.8, 0.09 * 190.8);
}

TEST(DecodeInStep, GrowEvenlyWithRequests) {
  // 128 and 136 tasks on 132 SMs: no second wave.
  const double one_less = priced_decode(decoding(16, 500)).p50.value();
  const double one_more = priced_decode(decoding(17, 500)).p50.value();
  EXPECT_GT(one_more, one_less);
  EXPECT_LT(one_more, 1.06 * one_less);
}

TEST(DecodeInStep, ManyShortRequestsWaitForTheSms) {
  const AttentionDecode op = decoding(256, 64);
  const double keys_alone = 256 * 8 * 64 * 128 * 4 / h200_of_decoding().memory_bandwidth.value();
  EXPECT_GT(priced_decode(op).p50.value(), 2 * keys_alone);
}

TEST(DecodeInStep, StateTheirIntervalAndThatTheyAreOfAStep) {
  const LatencyEstimate answer = priced_decode(decoding(64, 500));
  EXPECT_LT(answer.p10, answer.p50);
  EXPECT_NEAR(answer.p90 / answer.p50, 1.06, 1e-3);
  EXPECT_GE(answer.p10, answer.physical_bound);
  EXPECT_TRUE(answer.in_step);
  EXPECT_FALSE(answer.extrapolated);
}

TEST(DecodeInStep, SayHowFarTheyAreFromWhatTheyWereFittedOn) {
  const auto ratio = [](const LatencyEstimate& answer) { return answer.p90 / answer.p10; };
  const LatencyEstimate inside = priced_decode(decoding(256, 4000)), far = priced_decode(decoding(8, 20000)),
                        farther = priced_decode(decoding(8, 10'000'000)),
                        many = priced_decode(decoding(4096, 4000));
  EXPECT_FALSE(inside.extrapolated);
  for (const LatencyEstimate& outside : {far, farther, many}) {
    EXPECT_TRUE(outside.extrapolated);
    EXPECT_GT(ratio(outside), 1.15 * ratio(inside));
  }
  EXPECT_GT(ratio(farther), ratio(far));
}

TEST(DecodeInStep, AreMeasuredInTheReleaseThatWasFittedOnAlone) {
  const LatencyEstimate fitted = priced_decode(decoding(8, 1000), {.framework = "vllm", .version = "0.24.0"}),
                        older = priced_decode(decoding(8, 1000), {.framework = "vllm", .version = "0.14.0"});
  EXPECT_EQ(fitted.tier, Tier::Measured);
  EXPECT_EQ(older.tier, Tier::CrossGpu);
  EXPECT_EQ(older.p50, fitted.p50);
  EXPECT_GT(older.p90, 1.2 * fitted.p90);
}

TEST(DecodeInStep, KnowOneKernelOnTwoGpus) {
  const auto decodes_in_step = [](const Operator& asked, const GpuSpec& gpu, const KernelContext& context) {
    LatencyEstimate answer{.p10 = milliseconds(1), .p50 = milliseconds(1), .p90 = milliseconds(1)};
    return price_decode_in_step(StepRules::shipped(), asked, gpu, context, answer);
  };
  const GpuSpec& h200 = h200_of_decoding();
  const AttentionDecode op = decoding(8, 500);
  EXPECT_TRUE(decodes_in_step(op, h200, {}));
  EXPECT_TRUE(decodes_in_step(op, GpuCatalog().get("h100_sxm"), {.kernel = "vllm_flash_attn_fa3"}));
  EXPECT_FALSE(decodes_in_step(op, GpuCatalog().get("b200_sxm"), {}));
  EXPECT_FALSE(decodes_in_step(op, h200, {.kernel = "vllm_flashinfer"}));
  AttentionDecode fp8 = op, window = op, wide = op, drafts = op;
  fp8.kv_cache = DataType::Fp8;
  window.window = 128;
  wide.head_dim = 256;
  drafts.requests[0].query_tokens = 4;
  for (const AttentionDecode& other : {fp8, window, wide, drafts})
    EXPECT_FALSE(decodes_in_step(other, h200, {}));
  EXPECT_FALSE(decodes_in_step(Gemm{.m = 8, .n = 512, .k = 512}, h200, {}));
}

}  // namespace
}  // namespace warploom
