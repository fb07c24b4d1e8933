#include "warploom/app/serving/price_step.h"

#include <gtest/gtest.h>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/app/serving/price_static_batch.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

ServingSetupRequest llama() {
  ServingSetupRequest request;
  request.model = "Llama-3.1-8B";
  request.gpu = "h100_sxm";
  return request;
}

TEST(BatchShape, ReadsRequestsTimesTokens) {
  const BatchShape batch = parse_batch_shape("4x1024", "--prefill");
  EXPECT_EQ(batch.requests, 4);
  EXPECT_EQ(batch.tokens, 1024);
}

TEST(BatchShape, RefusesEverythingElse) {
  for (const char* text :
       {"", "x", "4", "4x", "x4", "0x4", "4x-1", "4x1.5", "4x8x2", "4x9999999999", "nanx1"}) {
    EXPECT_THROW(parse_batch_shape(text, "--prefill"), InvalidInput) << text;
  }
}

TEST(PriceStep, AddsUpItsKernels) {
  const StepBreakdown step =
      price_step({.setup = llama(), .prefill = {}, .decode = "8x512"}, fixed_latency());
  Seconds sum;
  double calls = 0;
  for (const KernelRow& kernel : step.kernels) {
    sum += kernel.p50;
    calls += kernel.calls;
    EXPECT_LE(kernel.p10, kernel.p50);
    EXPECT_LE(kernel.p50, kernel.p90);
  }
  EXPECT_DOUBLE_EQ(step.gpu_p50.value(), sum.value());
  EXPECT_NEAR(to_microseconds(step.gpu_p50), calls, 1e-6);
  EXPECT_EQ(step.tokens, 8);
  EXPECT_LT(step.gpu_p10, step.gpu_p50);
  EXPECT_LT(step.gpu_p50, step.gpu_p90);
}

// One H100 with Llama-3.1-8B has room for 449,040 tokens; the model ends at 131,072.
TEST(PriceStep, RefusesRequestsThatCannotBeInTheEngine) {
  const auto said = [](const char* prefill, const char* decode) {
    try {
      (void)price_step({.setup = llama(), .prefill = prefill, .decode = decode}, fixed_latency());
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said("", "4x100000"), "");
  EXPECT_NE(said("", "1x200000").find("longer than the 131072 that"), std::string::npos)
      << said("", "1x200000");
  EXPECT_NE(said("1x131073", "").find("longer than"), std::string::npos);
  EXPECT_NE(said("", "64x100000").find("hold 6400064 tokens and the KV cache has room for 4"),
            std::string::npos)
      << said("", "64x100000");
  EXPECT_NE(said("5x50000", "3x100000").find("hold 550003 tokens"), std::string::npos);
}

// 24 layers of experts, which SGLang up to 0.5.19 launched in steps of 32 requests without a graph on GPUs of
// 24 GB.
TEST(PriceStep, AHostThatIsNotKnownIsAnInterval) {
  ServingSetupRequest setup = llama();
  setup.model = "gpt-oss-20b";
  setup.gpu = "rtx_4090";
  setup.config.engine = "sglang";
  setup.version = "0.5.19";
  const StepBreakdown step =
      price_step({.setup = setup, .prefill = {}, .decode = "32x1000"}, fixed_latency());
  EXPECT_LT(to_milliseconds(step.host), 15);
  EXPECT_LT(step.host_least, step.host);
  EXPECT_GT(to_milliseconds(step.host_most), 55);  // 24 times what a layer of experts launches
  const StepBreakdown prompt = price_step({.setup = setup, .prefill = "1x32", .decode = {}}, fixed_latency());
  EXPECT_EQ(prompt.host_least, prompt.host_most);
  setup.config.engine = "vllm";
  setup.version = "0.24.0";
  const StepBreakdown fleet =
      price_step({.setup = setup, .prefill = {}, .decode = "32x1000"}, fixed_latency());
  EXPECT_LT(fleet.host_least, fleet.host);
  EXPECT_GT(fleet.host_most, fleet.host) << "hosts of the fleet vary";
  setup.host.profile = "xeon_16_cores";
  const StepBreakdown other =
      price_step({.setup = setup, .prefill = {}, .decode = "32x1000"}, fixed_latency());
  EXPECT_EQ(other.host_least, other.host_most);
}

TEST(PriceStep, MixesPrefillAndDecode) {
  const StepBreakdown step =
      price_step({.setup = llama(), .prefill = "2x100", .decode = "8x512"}, fixed_latency());
  EXPECT_EQ(step.tokens, 208);
  EXPECT_EQ(step.batch, "prefill 2x100 with decode 8x512");
}

TEST(PriceStep, RunsSharedExpertsBesideRoutedOnesInSmallSteps) {
  ServingSetupRequest setup = llama();
  setup.model = "deepseek-ai/DeepSeek-V3";
  setup.gpu = "h200_sxm";
  setup.config.tensor_parallel_size = 8;
  const auto sum = [](const StepBreakdown& step) {
    Seconds total(0.0);
    for (const KernelRow& kernel : step.kernels) total += kernel.p50;
    return total;
  };
  const StepBreakdown small = price_step({.setup = setup, .prefill = {}, .decode = "8x512"}, fixed_latency());
  EXPECT_GT(small.hidden.value(), 0);
  EXPECT_NEAR((small.gpu_p50 + small.hidden).value(), sum(small).value(), 1e-12);
  const StepBreakdown large = price_step({.setup = setup, .prefill = "1x512", .decode = {}}, fixed_latency());
  EXPECT_EQ(large.hidden.value(), 0);
}

TEST(PriceStep, NeedsABatch) {
  EXPECT_THROW(price_step({.setup = llama(), .prefill = {}, .decode = {}}, fixed_latency()), InvalidInput);
}

TEST(PriceStaticBatch, TotalsItsPhases) {
  const StaticBreakdown result = price_static_batch(
      {.setup = llama(), .batch = 4, .input_tokens = 100, .output_tokens = 11}, fixed_latency());
  EXPECT_NEAR(result.time.total.value(), (result.time.prefill + 10.0 * result.time.decode_mean).value(),
              1e-6);
  Seconds kernels;
  for (const KernelTime& kernel : result.kernels) kernels += kernel.time;
  EXPECT_NEAR(result.time.total.value(), (kernels + result.time.host).value(), 1e-7);
}

TEST(PriceStaticBatch, RefusesWhatDoesNotFit) {
  EXPECT_THROW(price_static_batch({.setup = llama(), .batch = 0, .input_tokens = 1, .output_tokens = 1},
                                  fixed_latency()),
               InvalidInput);
  EXPECT_THROW(
      price_static_batch({.setup = llama(), .batch = 4000, .input_tokens = 4000, .output_tokens = 10},
                         fixed_latency()),
      InvalidInput);
}

}  // namespace
}  // namespace warploom
