#include "warploom/app/serving/step_factors.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

// 10 us for a step, of which 1 us in collectives.
class TenMicroseconds final : public StepPricer {
 public:
  StepCost price(const StepBatch&) override {
    ++steps_;
    return {microseconds(9), microseconds(10), microseconds(12), microseconds(1)};
  }
  std::vector<KernelTime> breakdown() const override {
    return {{.label = "all", .time = microseconds(10) * steps_, .calls = steps_}};
  }
  std::unique_ptr<StepPricer> clone() const override { return std::make_unique<TenMicroseconds>(); }
  std::size_t coupled_replicas() const override { return 4; }

 private:
  double steps_ = 0;
};

TEST(StepFactors, ScaleStepsWithAndWithoutPromptsApart) {
  const TenMicroseconds pricer;
  Deployment deployment;
  deployment.pools.push_back({.pricer = &pricer});
  const ScaledDeployment scaled(deployment, {.prompt = 0.5, .decode = 2});
  const auto steps = scaled.deployment().pools[0].pricer->clone();
  EXPECT_EQ(steps->coupled_replicas(), 4u);
  StepBatch decode;
  decode.decode_requests = 3;
  const StepCost slower = steps->price(decode);
  EXPECT_DOUBLE_EQ(slower.p10.value(), 18e-6);
  EXPECT_DOUBLE_EQ(slower.p90.value(), 24e-6);
  EXPECT_DOUBLE_EQ(slower.collectives.value(), 2e-6);
  const PrefillChunk chunk{.tokens = 100};
  StepBatch mixed = decode;
  mixed.chunks = {&chunk, 1};
  EXPECT_DOUBLE_EQ(steps->price(mixed).p50.value(), 5e-6);
  // The kernels add up to what was priced: 20 and 5 us.
  EXPECT_NEAR(steps->breakdown().front().time.value(), 25e-6, 1e-12);
}

TEST(StepFactors, ScaleTheHost) {
  const TenMicroseconds pricer;
  Deployment deployment;
  deployment.pools.push_back({.pricer = &pricer});
  HostModel& host = deployment.pools[0].config.host;
  host.schedule = microseconds(5);
  host.finish_per_sequence = microseconds(3);
  host.frontend_latency = microseconds(100);
  host.launch_graph = microseconds(10);
  host.launch_pieces = microseconds(20);
  host.launch_kernels = microseconds(40);
  host.prompt_launch = microseconds(8);
  host.decode_launch = microseconds(4);
  const ScaledDeployment scaled(deployment, {.prompt = 0.5, .decode = 2});
  const HostModel& after = scaled.deployment().pools[0].config.host;
  for (const auto& [mode, factor] :
       {std::pair{LaunchMode::Graph, 2.0}, std::pair{LaunchMode::Pieces, 0.5},
        std::pair{LaunchMode::Kernels, 0.5}, std::pair{LaunchMode::DecodeKernels, 2.0}})
    EXPECT_NEAR(after.launch(mode).value(), factor * host.launch(mode).value(), 1e-12);
  const HostStep step = after.step(2, LaunchMode::Graph), before = host.step(2, LaunchMode::Graph);
  EXPECT_DOUBLE_EQ(step.before.value(), 2 * before.before.value());
  EXPECT_DOUBLE_EQ(step.finish.value(), 2 * before.finish.value());
  EXPECT_EQ(after.frontend_latency, host.frontend_latency);  // is no part of a step
}

}  // namespace
}  // namespace warploom
