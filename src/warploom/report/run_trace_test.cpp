#include "warploom/report/run_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/app/predict/latency_models.h"

namespace warploom {
namespace {

ServingSetup setup_of(const char* engine) {
  ServingSetupRequest request;
  request.model = "Llama-3.1-8B";
  request.gpu = "h100_sxm";
  request.config.engine = engine;
  request.config.enforce_eager = true;  // no padding: a step's operators are those of its own size
  return resolve_serving(request, open_latency_model(""));
}

// The times of every kernel that a trace lists, by label.
std::map<std::string, std::set<double>> traced_prices(const std::string& trace) {
  std::map<std::string, std::set<double>> prices;
  const nlohmann::json document = nlohmann::json::parse(trace);
  for (const nlohmann::json& event : document.at("traceEvents"))
    if (event.contains("args") && event["args"].contains("p50_us"))
      prices[event.at("name").get<std::string>()].insert(event["args"]["p50_us"].get<double>());
  return prices;
}

TEST(RunTrace, ShowsThePricesOfTheGraph) {
  for (const char* engine : {"vllm", "sglang", "trtllm"}) {
    const ServingSetup setup = setup_of(engine);
    Workload workload;
    workload.name = "one";
    workload.requests.push_back({SimTime(), 64, 3});
    SimulationOptions options;
    options.recorded_steps = 1;
    const SimulationResult run = simulate(setup.config, workload, *setup.pricer, options);
    ASSERT_EQ(run.steps.size(), 1u);
    const auto prices = traced_prices(run_trace_json(run, trace_steps(run, {&setup, 1})));
    const PricedGraph graph = price_graph(setup, run.steps[0].shape);
    EXPECT_GT(graph.nodes.size(), 5u);
    for (const PricedNode& priced : graph.nodes) {
      const double us = to_microseconds(priced.one_call.p50);
      const auto found = prices.find(std::string(priced.node.label));
      ASSERT_NE(found, prices.end()) << priced.node.label;
      EXPECT_TRUE(std::any_of(found->second.begin(), found->second.end(), [&](double shown) {
        return std::abs(shown - us) < 0.0006;
      })) << priced.node.label;
    }
  }
}

}  // namespace
}  // namespace warploom
