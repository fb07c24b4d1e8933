// The kernels of the recorded steps of a simulated run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warploom/app/serving/price_graph.h"
#include "warploom/serving/simulation.h"

namespace warploom {

// A recorded step: the operator graph at its exact sizes, priced.
struct TracedStep {
  std::string gpu;
  std::int64_t layers = 1;
  std::vector<PricedNode> kernels;
};

// One for each of run.steps, in their order. `setups` are those of the run's pools.
std::vector<TracedStep> trace_steps(const SimulationResult& run, std::span<const ServingSetup> setups);

}  // namespace warploom
