#include "warploom/serving/cluster/deployment.h"

#include <algorithm>

namespace warploom {

std::int64_t instance_count(const PoolPlan& pool) {
  return pool.config.instances * pool.config.data_parallel_size /
         std::int64_t(pool.pricer->coupled_replicas());
}

std::int64_t front_ends_of(const Deployment& deployment) {
  if (deployment.rules.front_ends > 0) return deployment.rules.front_ends;
  const PoolPlan& first = deployment.pools.front();
  return std::max({std::int64_t(1), instance_count(first), first.autoscaling.max_instances});
}

}  // namespace warploom
