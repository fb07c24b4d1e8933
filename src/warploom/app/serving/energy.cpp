#include "warploom/app/serving/energy.h"

#include <algorithm>

namespace warploom {

double pool_energy(const ServingSetup& setup, const PoolTotals& totals) {
  // GPUs of each attention group, with its share of the ranks apart.
  const double gpus =
      double(setup.sharding.tensor_parallel * setup.sharding.pipeline_parallel) +
      double(setup.sharding.feed_forward_ranks) / double(setup.sharding.attention_data_parallel);
  const Seconds busy = std::min(totals.gpu_time, totals.steps.gpu_p50 * gpus);
  return setup.gpu->power_limit.value() * (kIdleShare * totals.gpu_time + kBusyShare * busy).value();
}

}  // namespace warploom
