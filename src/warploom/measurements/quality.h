// Checks of measured rows: physics and repetition.
#pragma once

#include <cstddef>
#include <functional>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/repeat_noise.h"

namespace warploom {

// physical_bound (kernels/physical_bound.h), or zero where the GPU's record says that it cannot run the
// operator, so that nothing can be said of a row that claims it did. `routing` spares the simulation of
// expert loads that it has seen.
Seconds physical_bound_of(const Operator& op, const GpuSpec& gpu, const RoutingCache* routing = nullptr);

// At least physical_bound_of, and cheap for every operator: a mixture of experts is taken to hit all experts
// that its pairs can reach. A row slower than this needs no closer look.
Seconds physical_bound_ceiling(const Operator& op, const GpuSpec& gpu);

// Merges rows of equal operator, GPU, context, layout and marks into the first of them: median latency;
// n_samples is the sum over the distinct rows (rows alike to the last digit are copies and count once). Calls
// merged(row) for each row that goes away, by its old index; `noise` receives the distinct latencies of each
// thing when not null. Returns the number of rows gone. O(n log n).
std::size_t merge_repeats(Dataset& dataset, const std::function<void(std::size_t row)>& merged = {},
                          RepeatNoiseCounter* noise = nullptr);

}  // namespace warploom
