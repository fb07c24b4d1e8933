// What the configurations of a plan are in the words of the other use cases.
#pragma once

#include "warploom/app/plan/plan_request.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/planner/configuration.h"

namespace warploom {

// What an instance is started with, without the pool that it is in.
ServingSetupRequest setup_request_of(const PlanRequest& request, const Configuration& configuration,
                                     const EngineShape& shape);

// How requests are given out to the instances.
// Whether `shape`, a part of `configuration`, computes prompts: the only pool, or the first of two.
bool computes_prompts(const Configuration& configuration, const EngineShape& shape);

// The request with one of `space.encoder_instances` as a run has it, and its load.
SimulateRequest encoder_request_of(const PlanRequest& request, const Configuration& configuration);

RoutingPolicy router_of(const PlanRequest& request, const Configuration& configuration);

// The source of a load of so many requests (of sessions: first turns) per second.
WorkloadRequestSource source_at(WorkloadRequestSource source, double rate);

}  // namespace warploom
