// How token-expert pairs fall on experts that a balancer has placed by their loads, some of them twice.
#pragma once

#include "warploom/kernels/operator.h"
#include "warploom/kernels/routing_load.h"

namespace warploom {

// Whether experts lie where place_experts puts them; else in order, each once.
bool is_placed(const FusedMoe& op);

// The busiest rank. Experts are placed by what each is chosen on average, as a balancer learns it from many
// steps; a step's own choices deviate from that (binomial per expert, unless balanced), and replicas share
// an expert's pairs evenly. The mean of 16 steps, each with its own draw of loads; deterministic. O(16 E
// log E).
RoutingLoad placed_load(const FusedMoe& op);

}  // namespace warploom
