// A kernel that answers for one that was never measured on this GPU is marked in every command's answer.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/tune/diagnose.h"
#include "warploom/report/diagnose_report.h"
#include "warploom/report/static_report.h"
#include "warploom/report/step_report.h"

namespace warploom {
namespace {

// TensorRT-LLM's fp8 products with static scales were never measured on an H200; those with scales per token
// were.
TEST(StandIns, AreMarkedInEveryAnswer) {
  const std::shared_ptr<const LatencyModel> shipped = open_latency_model("");
  ServingSetupRequest setup;
  setup.model = "nvidia/Llama-3.1-70B-Instruct-FP8";
  setup.gpu = "h200_sxm";
  setup.config.engine = "trtllm";
  setup.config.enforce_eager = true;
  const auto expect_said = [](const Json& kernel) {
    EXPECT_EQ(kernel.at("stands_in"), true);
    EXPECT_EQ(kernel.at("stands_in_for"), "fp8_static");
    EXPECT_EQ(kernel.at("scheme_priced"), "fp8");
    EXPECT_EQ(kernel.at("framework"), "trtllm");
    EXPECT_NE(kernel.at("kernel"), "");
  };
  const StepBreakdown step = price_step({.setup = setup, .decode = "4x1500"}, shipped);
  const Json steps = step_json(step);
  EXPECT_NE(step_text(step).find(" for fp8_static"), std::string::npos);
  std::size_t said = 0;
  for (const Json& kernel : steps.at("kernels")) {
    if (kernel.at("label") == "attention_decode") {
      EXPECT_EQ(kernel.at("stands_in"), false);
    } else if (kernel.at("label") == "gate_up_proj") {
      expect_said(kernel);
      ++said;
    }
  }
  EXPECT_EQ(said, 1u);

  const StaticBatchRequest workload{.setup = setup, .batch = 4, .input_tokens = 512, .output_tokens = 8};
  const StaticBreakdown batch = price_static_batch(workload, shipped);
  const Json statics = static_json(batch);
  EXPECT_NE(static_text(batch).find(" for fp8_static"), std::string::npos);
  EXPECT_EQ(statics.at("kernels").at(0).at("stands_in"), true);
  expect_said(statics.at("kernel_sources").at("gemm").at("kernels").at(0));

  const Diagnosis found = diagnose({.gpu = "h200_sxm", .source = {}, .workload = workload, .ceilings = {}});
  const Json diagnosis = diagnosis_json(found);
  EXPECT_NE(diagnosis_text(found).find("stands in"), std::string::npos);
  for (const Json& kernel : diagnosis.at("kernels"))
    if (kernel.at("label") == "gate_up_proj") expect_said(kernel);
}

}  // namespace
}  // namespace warploom
