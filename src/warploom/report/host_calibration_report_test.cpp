#include "warploom/report/host_calibration_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

HostCalibration example_result() {
  HostCalibration calibration;
  CalibrateHostResult& result = calibration.host;
  result.model = "m";
  result.gpu = "g";
  result.engine = "vllm 1.0";
  result.base = "xeon_16_cores";
  result.profile.name = "mine";
  result.steps = 7;
  result.fit.factors = {1.5, 2, 1.25, 1.5};
  result.fit.steps = {7, 4, 3, 0};
  result.before = {.median = 0.2, .p90 = 0.4, .bias = -0.2};
  result.after = {.median = 0.05, .p90 = 0.1, .bias = 0.01};
  return calibration;
}

TEST(HostCalibrationReport, SaysWhichConstantsTheStepsShow) {
  HostCalibration result = example_result();
  const std::string text = host_calibration_text(result);
  EXPECT_NE(text.find("1.25"), std::string::npos);
  EXPECT_NE(text.find("not determined"), std::string::npos);
  EXPECT_NE(text.find("fewer than six steps"), std::string::npos);
  const Json json = host_calibration_json(result);
  EXPECT_EQ(json.at("factors").at(2).at("determined"), true);
  EXPECT_EQ(json.at("factors").at(3).at("determined"), false);
  EXPECT_TRUE(json.at("unseen").is_null());
  result.host.unseen = WallErrors{.median = 0.07, .p90 = 0.12, .bias = 0};
  EXPECT_EQ(host_calibration_json(result).at("unseen").at("p90"), 0.12);
  EXPECT_NE(host_calibration_text(result).find("did not see"), std::string::npos);
}

TEST(HostCalibrationReport, OfRunsSaysWhatTheOthersGive) {
  HostCalibration result = example_result();
  result.runs = {{.run = "chat",
                  .model = "m",
                  .before = {.tpot_mean = -0.125},
                  .unseen = RunErrors{.ttft_p90 = 0.375},
                  .after = {.ttft_mean = 0.0625}}};
  const Json json = host_calibration_json(result);
  EXPECT_EQ(json.at("runs").at(0).at("unseen").at("ttft_p90"), 0.375);
  EXPECT_EQ(json.at("runs").at(0).at("before").at("tpot_mean"), -0.125);
  EXPECT_FALSE(json.contains("steps"));
  const std::string text = host_calibration_text(result);
  EXPECT_NE(text.find("1 run on g"), std::string::npos);
  EXPECT_NE(text.find("by the other runs"), std::string::npos);
}

}  // namespace
}  // namespace warploom
