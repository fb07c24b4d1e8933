#include "warploom/app/serving/simulate_serving.h"

#include <gtest/gtest.h>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/serving/workload/named_sessions.h"

namespace warploom {
namespace {

SimulateRequest conversation(std::int64_t requests) {
  SimulateRequest request;
  request.setup.model = "Llama-3.1-8B";
  request.setup.gpu = "h100_sxm";
  request.source.workload = "conversation";
  request.source.requests = requests;
  return request;
}

TEST(SimulateServing, BracketsThePrediction) {
  const SimulateResult result = simulate_serving(conversation(50), fixed_latency());
  EXPECT_EQ(result.run.metrics.completed, 50);
  EXPECT_LT(result.interval->low.tpot.mean, result.run.metrics.tpot.mean);
  EXPECT_LT(result.run.metrics.tpot.mean, result.interval->high.tpot.mean);
  EXPECT_EQ(result.label.trust.tier, Tier::CrossGpu);
  EXPECT_EQ(result.label.gpus, 1);
}

TEST(SimulateServing, GivesTheSameTwice) {
  const SimulateResult a = simulate_serving(conversation(40), fixed_latency());
  const SimulateResult b = simulate_serving(conversation(40), fixed_latency());
  EXPECT_EQ(a.run.metrics.e2el.p99, b.run.metrics.e2el.p99);
  EXPECT_EQ(a.interval->high.e2el.mean, b.interval->high.e2el.mean);
}

TEST(SimulateServing, MarksACancelledRunAsPartial) {
  SimulateRequest request = conversation(50);
  const std::atomic<bool> cancelled{true};
  request.cancelled = &cancelled;
  const SimulateResult result = simulate_serving(request, fixed_latency());
  EXPECT_TRUE(result.run.partial);
  EXPECT_LT(result.run.metrics.completed, 50);
}

TEST(SimulateServing, RefusesAnEngineWithoutScheduler) {
  SimulateRequest request = conversation(5);
  request.setup.config.engine = "lmdeploy";
  EXPECT_THROW(simulate_serving(request, fixed_latency()), Unsupported);
}

TEST(OpenWorkload, TakesExactlyOneSource) {
  EXPECT_THROW(open_workload({}), InvalidInput);
  WorkloadRequestSource both;
  both.workload = "conversation";
  both.trace = "trace.csv";
  EXPECT_THROW(open_workload(both), InvalidInput);
}

TEST(OpenWorkload, TakesWorkloadsOfSessionsByTheirName) {
  WorkloadRequestSource source;
  source.workload = "agents";
  source.requests = 2000;
  const Workload own = open_workload(source);
  EXPECT_TRUE(own.name.starts_with("agents: ")) << own.name;
  EXPECT_NEAR(double(own.requests.size()), 2000, 500);
  EXPECT_NEAR(arrival_rate(own), 0.1, 0.03);  // of sessions
  source.rate = 20.0;                         // of requests
  const Workload fast = open_workload(source);
  EXPECT_NEAR(double(fast.requests.size()) / double(own.requests.size()), 1, 1e-9);
  EXPECT_NEAR(arrival_rate(fast), 20 / requests_of_session(find_named_sessions("agents")->shape), 0.8);
  source.sessions = SessionShape{};
  EXPECT_THROW(name_default_workload(source), InvalidInput);
}

TEST(OpenWorkload, RefusesNumbersOutOfRange) {
  const auto refused = [](auto change) {
    WorkloadRequestSource source;
    source.workload = "conversation";
    change(source);
    EXPECT_THROW(open_workload(source), InvalidInput);
  };
  refused([](auto& s) { s.requests = 0; });
  refused([](auto& s) { s.rate = -1.0; });
  refused([](auto& s) { s.rate = std::numeric_limits<double>::quiet_NaN(); });
  refused([](auto& s) { s.concurrency = 0; });
  refused([](auto& s) {
    s.rate = 1.0;
    s.concurrency = 4;
  });
}

TEST(OpenWorkload, AsksForArrivalsThatATraceLacks) {
  const ScratchFolder folder;
  WorkloadRequestSource source;
  source.trace = folder.write("trace.csv", "input_tokens,output_tokens\n10,5\n20,5\n");
  EXPECT_THROW(open_workload(source), InvalidInput);
  source.rate = 2.0;
  EXPECT_EQ(open_workload(source).requests.size(), 2u);
  source.rate.reset();
  source.concurrency = 1;
  EXPECT_EQ(open_workload(source).concurrency, 1);
}

TEST(OpenWorkload, RescalesATimedTrace) {
  const ScratchFolder folder;
  WorkloadRequestSource source;
  source.trace = folder.write("trace.csv", "arrival_s,input_tokens,output_tokens\n0,10,5\n1,20,5\n2,20,5\n");
  source.rate = 10.0;
  EXPECT_NEAR(arrival_rate(open_workload(source)), 10.0, 1e-6);
}

}  // namespace
}  // namespace warploom
