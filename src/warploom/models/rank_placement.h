// Which ranks of a group share a link domain, when a replica's GPUs fill one domain after another: those of
// tensor parallelism lie side by side, then the groups of data-parallel attention, then pipeline stages.
#pragma once

#include <cstdint>

#include "warploom/kernels/operator.h"
#include "warploom/models/graph_options.h"

namespace warploom {

// How many of `ranks` GPUs, each `stride` GPUs after the last, are in one domain; 0: all are.
std::int64_t ranks_in_domain(const GraphOptions& options, std::int64_t ranks, std::int64_t stride = 1);

// The same said to `op`, with the network between domains where the group leaves one.
void place_ranks(Collective& op, const GraphOptions& options, std::int64_t stride = 1);

// Boundaries between `stages` of so many GPUs each behind which the next stage lies in another domain.
std::int64_t crossings_between(const GraphOptions& options, std::int64_t stages, std::int64_t gpus_per_stage);
// Whether the one behind stage number `stage` does.
bool crosses_behind(const GraphOptions& options, std::int64_t stage, std::int64_t gpus_per_stage);

}  // namespace warploom
