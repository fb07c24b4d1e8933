// A simulated run as a trace: request > step > layer > kernel, with the bound of each kernel.
#pragma once

#include <span>
#include <string>

#include "warploom/app/serving/trace_run.h"

namespace warploom {

// Chrome trace JSON (trace_events.h) of the run's recorded steps, the requests that live in their time and
// the run's counters. The kernels of a step are scaled so that they fill its GPU time (which is priced from
// tables and padded batches); a kernel that does not run once in every layer is spread evenly over the
// layers; a drafter's passes are part of the step's time and not listed. `traced`: one for each of run.steps.
std::string run_trace_json(const SimulationResult& run, std::span<const TracedStep> traced);

}  // namespace warploom
