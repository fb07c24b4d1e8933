#include "warploom/report/step_report.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(StepReport, SaysThatKernelsOverlapWhereTheHostAddsLessThanNothing) {
  StepBreakdown step;
  step.gpu_p10 = step.gpu_p50 = step.gpu_p90 = Seconds(5e-3);
  step.host = step.host_least = step.host_most = Seconds(1e-4);
  EXPECT_NE(step_text(step).find("100 us host)"), std::string::npos) << step_text(step);
  step.host = step.host_least = step.host_most = Seconds(-2e-4);
  const std::string text = step_text(step);
  EXPECT_NE(text.find("200 us less since kernels overlap)"), std::string::npos) << text;
  EXPECT_NE(text.find("\noverlap "), std::string::npos) << text;
}

}  // namespace
}  // namespace warploom
