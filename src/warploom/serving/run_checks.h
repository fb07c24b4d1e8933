// What a run refuses before anything of it is played.
#pragma once

#include <cstddef>

#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/workload/length_limit.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Throws InvalidInput and Unsupported: fields that no engine takes, failures of instances that are not there,
// rules that would change nothing.
void check_deployment(const Deployment& deployment);
// Throws InvalidInput on a request, from `first` on, that no KV cache of a pool holds.
void check_requests(const Deployment& deployment, const Workload& workload, std::size_t first);
// Those of the pool that takes least.
LengthLimits length_limits(const Deployment& deployment);

}  // namespace warploom
