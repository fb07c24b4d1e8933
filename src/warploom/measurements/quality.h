// Checks of measured rows: physics and repetition.
#pragma once

#include <cstddef>
#include <functional>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/measurements/dataset.h"

namespace warploom {

// The time that no implementation on this GPU can beat, under the most generous reading of what was measured: where a
// label leaves doubt (attention on an fp8 cache labelled bf16, which several libraries compute in fp8), the faster
// reading counts. Zero when the GPU's record knows no rate for the operator, so nothing can be said.
Seconds physical_bound_of(const Operator& op, const GpuSpec& gpu);

// latency < tolerance * physical_bound_of(op, gpu). tolerance 0: never.
bool is_impossible(const Operator& op, const GpuSpec& gpu, Seconds latency, double tolerance);

// Merges rows of equal operator, GPU, context, layout and marks into the first of them: median latency; n_samples is the sum
// over the distinct rows (rows alike to the last digit are copies and count once).
// Calls merged(row) for each row that goes away, by its old index. Returns their number. O(n log n).
std::size_t merge_repeats(Dataset& dataset, const std::function<void(std::size_t row)>& merged = {});

}  // namespace warploom
