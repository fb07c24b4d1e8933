#include "warploom/app/serving/energy.h"

#include <algorithm>

namespace warploom {

double pool_energy(const ServingSetup& setup, const PoolTotals& totals) {
  const double gpus = double(setup.sharding.tensor_parallel * setup.sharding.pipeline_parallel);
  const Seconds busy = std::min(totals.gpu_time, totals.steps.gpu_p50 * gpus);
  return setup.gpu->power_limit.value() * (kIdleShare * totals.gpu_time + kBusyShare * busy).value();
}

}  // namespace warploom
