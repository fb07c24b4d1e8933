// Use case `simulate`: a whole serving run.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "warploom/app/serving/group_figures.h"
#include "warploom/app/serving/run_label.h"
#include "warploom/app/serving/serving_engines.h"
#include "warploom/app/serving/simulate_request.h"
#include "warploom/app/serving/trace_run.h"
#include "warploom/app/serving/tuned_change.h"

namespace warploom {

struct SimulateResult {
  RunLabel label;
  SimulationResult run;
  std::optional<RunInterval> interval;  // absent when the run was cancelled or none was asked for
  std::optional<TunedChange> tuned;     // with SimulateRequest::tuned
  std::vector<GroupFigures> groups;     // by class and tenant, where the workload has them
  std::vector<TracedStep> traced;       // of run.steps; empty unless steps were asked for
};

// The predictor that the run is priced with. Of two pools each may name it, or `setup` for both. Throws
// InvalidInput where they name different ones.
std::string predictor_of(const SimulateRequest& request);

// The engines of the request alone, for requests that come while they run (paced_engines.h). Throws what
// simulate_serving does of them.
ServingEngines open_engines(const SimulateRequest& request,
                            const std::shared_ptr<const LatencyModel>& latency);

// Runs at p50 and, for the interval, at p10 and p90, side by side. Deterministic. Throws what
// resolve_serving, open_workload and simulate throw, and InvalidInput on fields that change nothing beside
// the others.
SimulateResult simulate_serving(const SimulateRequest& request, std::shared_ptr<const LatencyModel> latency);
SimulateResult simulate_serving(const SimulateRequest& request);  // opens predictor_of(request)

}  // namespace warploom
