// How much the busiest rank's share of token-expert pairs varies from step to step.
//
// What each expert is chosen on average stays the same over a run; a step's own tokens deviate from it. The
// mean is routing_load's; this is the deviation around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// The share of all pairs that each rank has on average, in one draw of the experts' loads. The shares add up
// to 1. Deterministic for a state of `rng`. O(experts).
std::vector<double> rank_shares(const FusedMoe& op, RandomStream& rng);

// Gives `pairs` pairs to the ranks, each pair by chance in proportion to `shares`: what they get adds up to
// `pairs`. `drawn` has the size of `shares`. No allocation.
void draw_rank_pairs(std::span<const double> shares, std::int64_t pairs, RandomStream& rng,
                     std::span<std::int64_t> drawn);

// Standard deviation of the busiest rank's pairs over their mean. 0 where one rank holds all experts and
// where routing is balanced, since pairs then fall alike in every step. Deterministic. O(experts + 256
// ranks).
double busiest_spread(const FusedMoe& op);

}  // namespace warploom
