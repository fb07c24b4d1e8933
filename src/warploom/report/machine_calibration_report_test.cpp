#include "warploom/report/machine_calibration_report.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(MachineCalibrationReport, ShowsTheFactorOfExpertsWhereTheyHaveOne) {
  CalibrateMachineResult result;
  result.profile.name = "mine";
  result.profile.kernels = {{KernelGroup::Streaming, 1.04, 0.936, 1.144}};
  EXPECT_EQ(machine_calibration_text(result).find("experts"), std::string::npos);
  result.profile.kernels[0].experts = 1.01;
  const std::string text = machine_calibration_text(result);
  const std::size_t row = text.find("experts: streaming");
  ASSERT_NE(row, std::string::npos) << text;
  const std::string line = text.substr(row, text.find('\n', row) - row);
  for (const char* figure : {"1.010", "0.909", "1.111"}) EXPECT_NE(line.find(figure), std::string::npos);
}

}  // namespace
}  // namespace warploom
