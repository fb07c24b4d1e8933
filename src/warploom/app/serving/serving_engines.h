// The engines of a serving run, ready: what `simulate` answers with, and what `validate concurrency` judges.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/simulate_request.h"
#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/simulation_options.h"

namespace warploom {

// `deployment` points into `setups`: moving the whole is fine, changing `setups` is not.
struct ServingEngines {
  std::vector<ServingSetup> setups;  // one, or prefill and decode
  Deployment deployment;
  std::string kv_transfer;              // path between the pools; empty: one pool
  std::optional<ServingSetup> encoder;  // of the instances that encode alone
};

// As the request asks. Throws what resolve_serving and kv_transfer_of throw.
ServingEngines engines_of(const SimulateRequest& request, const std::shared_ptr<const LatencyModel>& latency);

// The same with setups that were resolved elsewhere; the request's own are not read.
ServingEngines engines_of(const SimulateRequest& request, std::vector<ServingSetup> setups);

// The deployment with the host that is as fast or slow as its machine may be, where the steps are.
Deployment at_end(const ServingEngines& engines, StepTime step_time);

}  // namespace warploom
