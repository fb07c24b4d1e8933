#include "warploom/report/static_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

TEST(StaticReport, SaysWhichKernelAnswered) {
  KernelTime kernel;
  kernel.family = Family::AttentionDecode;
  kernel.label = "attention";
  kernel.time = Seconds(0.5);
  kernel.calls = 3;
  kernel.source.framework = "vllm";
  kernel.source.kernel = "vllm_flash_attn_fa3";
  kernel.source.tier = Tier::Measured;
  StaticBreakdown batch;
  batch.time.total = Seconds(1.0);
  batch.kernels = {kernel};
  const Json document = static_json(batch);
  const Json& decode = document.at("kernel_sources").at("attention_decode");
  EXPECT_EQ(decode.at("kernels").at(0).at("kernel"), "vllm_flash_attn_fa3");
  EXPECT_DOUBLE_EQ(decode.at("tier_shares").at("measured").get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(document.at("kernels").at(0).at("share").get<double>(), 0.5);
}

}  // namespace
}  // namespace warploom
