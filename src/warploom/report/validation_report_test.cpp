#include "warploom/report/validation_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

TEST(ValidationReport, MeansSkipPhasesThatWereNotMeasured) {
  StaticValidation validation;
  validation.rows.resize(2);
  validation.rows[0].prefill = Comparison{10, 12};
  validation.rows[0].total = {20, 21};
  validation.rows[1].total = {20, 19};
  const Json document = static_validation_json(validation);
  EXPECT_NEAR(document["mean"]["prefill"].get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(document["bias"]["total"].get<double>(), 0, 1e-12);
  EXPECT_NE(json_text(document).find("\"prefill_error\": null"), std::string::npos);
}

TEST(ValidationReport, ListsServingFiguresByMetricAndStatistic) {
  ServingValidation validation;
  validation.latencies = {{"ttft", "mean", {1000, 900}}};
  const Json document = serving_validation_json(validation);
  EXPECT_NEAR(document["metrics"]["ttft"]["mean"]["measured_ms"].get<double>(), 1000, 1e-9);
  EXPECT_NEAR(document["metrics"]["ttft"]["mean"]["error"].get<double>(), 0.1, 1e-12);
}

}  // namespace
}  // namespace warploom
