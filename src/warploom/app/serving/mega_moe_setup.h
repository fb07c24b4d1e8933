// A replica whose experts exchange tokens in their own kernel (DeepGEMM's MegaMoE).
#pragma once

#include "warploom/models/graph_options.h"
#include "warploom/serving/engines/engine_spec.h"

namespace warploom {

// The graph of a step in which the kernel of the experts dispatches and combines. Throws Unsupported or
// InvalidInput by name: on a GPU or experts that MegaMoeTable refuses, GPUs that no link joins, experts apart
// from attention, and more tokens of a rank than the engine's buffer holds.
void exchange_within_experts(const EngineLaunch& launch, GraphOptions& graph);

// What of one GPU's memory the kernel's buffer takes beside weights and KV cache. Throws InvalidInput where
// it lies outside the engine's share of the memory and does not fit there.
Bytes mega_moe_memory(const EngineLaunch& launch);

}  // namespace warploom
