// The caches that the instances of a fleet share: sizes and speeds, from what is asked and the nodes.
#pragma once

#include <vector>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/serving/cluster/deployment.h"

namespace warploom {

// Fills in `shared_kv` and the `cache_bandwidth` of each pool; `setups` are those of the pools. Throws
// InvalidInput on what no engine could share, and on fields that change nothing.
void set_shared_kv(Deployment& deployment, const std::vector<const ServingSetup*>& setups,
                   const SharedKv& asked);

// Look-ups as fast or slow as they may be, where the steps are.
void set_at_end(SharedKvPlan& shared, StepTime step_time);

}  // namespace warploom
