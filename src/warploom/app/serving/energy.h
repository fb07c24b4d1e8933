// Energy of a pool's GPUs, an estimate from the power limit: how much a GPU draws beside its limit depends on
// the kernels and is not measured here.
#pragma once

#include "warploom/app/serving/serving_setup.h"
#include "warploom/serving/simulation.h"

namespace warploom {

// Joules of all GPUs of a pool over the time they were held: kIdleShare of the power limit always, and
// kBusyShare more while kernels run. 0 where the GPU's record states no limit.
double pool_energy(const ServingSetup& setup, const PoolTotals& totals);

// Data-centre GPUs idle at 10 to 15 % of their limit with the memory clocked up (70 to 120 W of 700 W); under
// decode and prefill kernels they draw 60 to 100 % of it. Estimates.
constexpr double kIdleShare = 0.13;
constexpr double kBusyShare = 0.67;

}  // namespace warploom
