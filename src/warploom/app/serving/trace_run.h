// A simulated run as a trace: request > step > layer > kernel, with the bound of each kernel.
#pragma once

#include <span>
#include <string>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/serving/simulation.h"

namespace warploom {

// Chrome trace JSON of the run's recorded steps, the requests that live in their time and the run's counters.
// Kernels are those of the step's operator graph at its exact sizes, scaled so that they fill the step's GPU
// time (which is priced from tables and padded batches); a kernel that does not run once in every layer is
// spread evenly over the layers; a drafter's passes are part of the step's time and not listed. `setups` are
// those of the run's pools.
std::string trace_run(const SimulationResult& run, std::span<const ServingSetup> setups);

}  // namespace warploom
