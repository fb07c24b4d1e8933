#include "warploom/serving/metrics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/json.h"
#include "warploom/base/random.h"

namespace warploom {
namespace {

TEST(LatencyHistogram, AgreesWithExactStatistics) {
  RandomStream random(1, "gaps");
  LatencyHistogram histogram;
  std::vector<double> samples;
  for (int i = 0; i < 20000; ++i) {
    const SimDuration gap(std::int64_t(random.gamma(2.0, 1e7)) + 1000);
    histogram.add(gap, 1);
    samples.push_back(gap.seconds().value());
  }
  const LatencySummary exact = summarize(samples), binned = histogram.summary();
  EXPECT_NEAR(binned.mean / exact.mean, 1, 1e-9);
  EXPECT_NEAR(binned.std / exact.std, 1, 1e-6);
  EXPECT_NEAR(binned.median / exact.median, 1, 2e-3);
  EXPECT_NEAR(binned.p99 / exact.p99, 1, 5e-3);
}

TEST(ServingMetrics, FollowTheDefinitionsOfTheBenchmark) {
  std::vector<RequestRecord> records(2);
  records[0] = {.arrival = SimTime(0),
                .first_token = SimTime(100),
                .last_token = SimTime(500),
                .input_tokens = 7,
                .output_tokens = 5,
                .tokens_emitted = 5,
                .replica = 0};
  records[1] = {.arrival = SimTime(100),
                .first_token = SimTime(400),
                .last_token = SimTime(1000),
                .input_tokens = 9,
                .output_tokens = 4,
                .tokens_emitted = 3,
                .replica = 0};
  const ServingMetrics metrics = metrics_of(records, {});
  EXPECT_EQ(metrics.completed, 1);
  EXPECT_EQ(metrics.failed, 1);
  EXPECT_NEAR(metrics.tpot.mean.value(), 100e-9, 1e-18);
  EXPECT_NEAR(metrics.duration.value(), 1e-6, 1e-15);
  EXPECT_EQ(requests_meeting({.ttft = Seconds(101e-9), .tpot = {}, .e2el = {}}, records), 1);
  EXPECT_EQ(requests_meeting({.ttft = {}, .tpot = Seconds(99e-9), .e2el = {}}, records), 0);
}

TEST(ServingMetrics, WritesTheKeysOfTheBenchmark) {
  ServingMetrics metrics;
  metrics.ttft.p99 = milliseconds(12.5);
  const Json document = to_json(metrics);
  EXPECT_EQ(document.at("p99_ttft_ms").get<double>(), 12.5);
  for (const char* key :
       {"duration", "completed", "request_throughput", "mean_tpot_ms", "median_itl_ms", "std_e2el_ms"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(object_from_json<ServingMetrics>(document, "test").ttft.p99, metrics.ttft.p99);
}

}  // namespace
}  // namespace warploom
