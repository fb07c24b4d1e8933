#include "warploom/judge/report/validation_report.h"

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

TEST(ValidationReport, SaysWhatAClientMeasuredAndWhatLiesBetweenItAndTheEngine) {
  ServingValidation validation;
  validation.latencies = {{"ttft", "mean", {100, 80}}};
  ClientSide side{.run = {.generator = "AIPerf",
                          .layout = "aiperf",
                          .replay = Replay::ClosedLoop,
                          .max_concurrency = 8,
                          .failed = 3,
                          .warm_up = 2},
                  .frontend_latency = milliseconds(15),
                  .frontend_per_token = microseconds(2.5),
                  .mean_frontend = 20,
                  .engine_ttft = {{"ttft", "mean", {100, 60}}}};
  validation.client = side;
  const std::string text = serving_validation_text(validation);
  for (const char* part :
       {"measured at the client by AIPerf; closed loop of 8 clients; left out: 3 failed, 2 of the warm-up\n",
        "15.0 ms a request and 2.50 us a prompt token, modelled", "ttft mean, engine alone [ms]",
        "20.00 ms of the predicted 80.00 ms are the way to the engine (25.0 %)",
        "40.00 ms lie beyond the engine's predicted 60.00 ms"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  EXPECT_EQ(text.find("start order"), std::string::npos);
  const Json document = serving_validation_json(validation);
  EXPECT_EQ(document["client"]["replay"], "closed_loop");
  EXPECT_EQ(document["client"]["failed"], 3);
  EXPECT_EQ(document["client"]["frontend_source"], "modelled");
  EXPECT_EQ(document["client"]["ttft_without_frontend"]["mean"]["predicted_ms"], 60);
  EXPECT_TRUE(document["start_order_correlation"].is_null());
  validation.client->frontend_stated = true;
  EXPECT_NE(serving_validation_text(validation).find("client_latency_ms of the run's record"),
            std::string::npos);
}

}  // namespace
}  // namespace warploom
