#include "warploom/serving/static_batch.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

TEST(StaticBatch, EqualsASimulationOfTheSameRequests) {
  const std::vector<std::int32_t> prompts{100, 700, 1, 333};
  LinearStepPricer pricer({.per_step = milliseconds(3),
                           .per_token = microseconds(11.3),
                           .per_context_token = microseconds(0.0137)});
  const HostModel host;
  const StaticBatchTime time = price_static_batch(prompts, 50, pricer, host);
  Workload workload;
  workload.name = "batch";
  for (const std::int32_t tokens : prompts) workload.requests.push_back({SimTime(), tokens, 50});
  for (const bool async : {false, true}) {
    ServingConfig config;
    config.host = host;
    config.async_scheduling = async;
    const SimulationResult result = simulate(config, workload, pricer);
    EXPECT_NEAR(result.metrics.duration.value(), time.total.value(), 1e-12);
    EXPECT_NEAR(result.metrics.ttft.mean.value(), time.prefill.value(), 1e-12);
    EXPECT_NEAR(result.metrics.tpot.mean.value(), time.decode_mean.value(), 1e-12);
  }
}

// Prompts of one token are no chunks: no step of theirs launches its kernels one by one, graph or none.
TEST(StaticBatch, EqualsASimulationOfPromptsOfOneTokenWithoutAPrefillGraph) {
  LinearStepPricer pricer({.per_step = milliseconds(3), .per_token = microseconds(11)});
  HostModel host;
  host.prefill_floor = milliseconds(50);
  ServingConfig config;
  config.engine = "sglang";
  config.host = host;
  ASSERT_EQ(largest_prefill_graph(config), 0);
  const std::vector<std::int32_t> prompts{1, 1, 1};
  const StaticBatchTime time = price_static_batch(prompts, 5, pricer, host, largest_prefill_graph(config));
  Workload workload;
  workload.name = "batch";
  for (const std::int32_t tokens : prompts) workload.requests.push_back({SimTime(), tokens, 5});
  const SimulationResult result = simulate(config, workload, pricer);
  EXPECT_LT(time.prefill, milliseconds(4));
  EXPECT_NEAR(result.metrics.ttft.mean.value(), time.prefill.value(), 1e-12);
  EXPECT_NEAR(result.metrics.duration.value(), time.total.value(), 1e-12);
  // One prompt of several tokens makes it a step that does.
  const std::vector<std::int32_t> mixed{1, 64, 1};
  EXPECT_GT(price_static_batch(mixed, 5, pricer, host, largest_prefill_graph(config)).prefill,
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
  const StaticBatchTime time = price_static_batch(std::vector<std::int32_t>{5}, 1, pricer, HostModel{});
  EXPECT_EQ(time.decode_mean.value(), 0);
  EXPECT_EQ(time.total, time.prefill);
}

}  // namespace
}  // namespace warploom
