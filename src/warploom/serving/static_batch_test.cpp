#include "warploom/serving/static_batch.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

HostModel slow_host() {
  return {.schedule = milliseconds(0.3),
          .schedule_per_sequence = microseconds(9),
          .prepare = milliseconds(1),
          .launch_graph = milliseconds(0.8),
          .launch_pieces = milliseconds(6),
          .launch_kernels = milliseconds(50),
          .finish = milliseconds(0.2),
          .finish_per_sequence = microseconds(5),
          .gap = milliseconds(0.1)};
}

void expect_equals_simulation(const ServingConfig& config, const std::vector<std::int32_t>& prompts,
                              std::int32_t output_tokens) {
  LinearStepPricer pricer({.per_step = milliseconds(3),
                           .per_token = microseconds(11.3),
                           .per_context_token = microseconds(0.0137)});
  const StaticBatchTime time = price_static_batch(prompts, output_tokens, pricer, config);
  Workload workload;
  workload.name = "batch";
  for (const std::int32_t tokens : prompts) workload.requests.push_back({SimTime(), tokens, output_tokens});
  const SimulationResult result = simulate(config, workload, pricer);
  EXPECT_NEAR(result.metrics.duration.value(), time.total.value(), 1e-12);
  EXPECT_NEAR(result.metrics.ttft.mean.value(), time.prefill.value(), 1e-12);
  EXPECT_NEAR(result.metrics.tpot.mean.value(), time.decode_mean.value(), 1e-12);
}

TEST(StaticBatch, EqualsASimulationOfTheSameRequests) {
  for (const bool async : {false, true})
    for (const HostModel& host : {HostModel{}, slow_host()}) {
      ServingConfig config;
      config.host = host;
      config.async_scheduling = async;
      expect_equals_simulation(config, {100, 700, 1, 333}, 50);
      expect_equals_simulation(config, {100, 70}, 50);  // few enough for graphs
    }
}

// Prompts of one token are no chunks: no step of theirs launches its kernels one by one, graph or none.
TEST(StaticBatch, EqualsASimulationOfPromptsOfOneTokenWithoutAPrefillGraph) {
  ServingConfig config;
  config.engine = "sglang";
  config.host.launch_kernels = milliseconds(50);
  ASSERT_EQ(graph_limits_of(config).prompts, 0);
  expect_equals_simulation(config, {1, 1, 1}, 5);
  LinearStepPricer pricer({.per_step = milliseconds(3), .per_token = microseconds(11)});
  EXPECT_LT(price_static_batch(std::vector<std::int32_t>{1, 1, 1}, 5, pricer, config).prefill,
            milliseconds(4));
  // One prompt of several tokens makes it a step that does.
  EXPECT_GE(price_static_batch(std::vector<std::int32_t>{1, 64, 1}, 5, pricer, config).prefill,
            milliseconds(50));
}

TEST(StaticBatch, RefusesAnEmptyBatchAndBadLengths) {
  LinearStepPricer pricer({});
  EXPECT_THROW(price_static_batch({}, 5, pricer, {}), InvalidInput);
  EXPECT_THROW(price_static_batch(std::vector<std::int32_t>{5, 0}, 5, pricer, {}), InvalidInput);
  EXPECT_THROW(price_static_batch(std::vector<std::int32_t>{5}, 0, pricer, {}), InvalidInput);
}

TEST(StaticBatch, OneTokenHasNoDecode) {
  LinearStepPricer pricer({.per_step = milliseconds(3)});
  const StaticBatchTime time = price_static_batch(std::vector<std::int32_t>{5}, 1, pricer, ServingConfig{});
  EXPECT_EQ(time.decode_mean.value(), 0);
  EXPECT_EQ(time.total, time.prefill);
}

}  // namespace
}  // namespace warploom
