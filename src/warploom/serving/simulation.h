// A whole serving run.
#pragma once

#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/simulation_options.h"
#include "warploom/serving/simulation_result.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Replays the workload on the deployment. Requests longer than max_model_len are cut or rejected, see
// workload/length_limit.h. Throws InvalidInput before anything runs: a workload that check_workload refuses
// or of which nothing is short enough, a KV cache that cannot hold one request, a prompt larger than the
// token budget when prompts may not be split, a failure of an instance that is not there. Deterministic.
// O(steps * batch) time; memory for the records and the live requests. Requests that no instance is left to
// serve count as failed.
SimulationResult simulate(const Deployment& deployment, const Workload& workload,
                          const SimulationOptions& options = {});

// The same on one pool without failures.
SimulationResult simulate(const ServingConfig& config, const Workload& workload, const StepPricer& pricer,
                          const SimulationOptions& options = {});

}  // namespace warploom
