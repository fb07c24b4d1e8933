#include "warploom/app/serving/trace_run.h"

namespace warploom {

std::vector<TracedStep> trace_steps(const SimulationResult& run, std::span<const ServingSetup> setups) {
  std::vector<TracedStep> traced;
  traced.reserve(run.steps.size());
  for (const StepRecord& step : run.steps) {
    const ServingSetup& setup = setups[std::size_t(step.pool)];
    traced.push_back({.gpu = setup.gpu->name,
                      .layers = setup.model.layer_count(),
                      .kernels = price_graph(setup, step.shape).nodes});
  }
  return traced;
}

}  // namespace warploom
