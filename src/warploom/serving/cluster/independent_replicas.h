// Replicas that never meet run side by side: with round robin over one pool, arrivals that do not depend on
// answers, a front end for each instance, and nothing failing or scaling, each instance is a run of its own.
#pragma once

#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/simulation_options.h"
#include "warploom/serving/simulation_result.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Whether the instances of this run never meet and are more than one.
bool instances_are_independent(const Deployment& deployment, const Workload& workload);

// The run of such a deployment, in options.threads threads (0: as many as the machine has). The result does
// not depend on their number; the timeline is sampled anew on a common grid.
SimulationResult simulate_independent(const Deployment& deployment, const Workload& workload,
                                      const SimulationOptions& options);

}  // namespace warploom
