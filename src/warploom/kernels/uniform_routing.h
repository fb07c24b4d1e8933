// How token-expert pairs fall on experts that tokens choose at random: expectations in closed form, no draws.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/kernels/operator.h"
#include "warploom/kernels/routing_load.h"

namespace warploom {

// Each token takes top_k of the experts, none twice, all alike, as the gates of random weights do. So an
// expert's pairs are binomial, of `tokens` trials with chance top_k / experts. Without expert parallelism the
// experts hit are E (1 - (1 - k/E)^T). With it this is the busiest rank: its pairs are the largest of as many
// normal deviates as there are ranks, with the mean and variance of a rank's pairs (hypergeometric per
// token), shared evenly by its experts. O(standard deviation of an expert's pairs), a few microseconds.
RoutingLoad uniform_load(const FusedMoe& op);

// The rows of each of `held` experts that tokens choose so, as one launch may have them: quantiles of the
// same binomial distribution (`tokens` trials, mean pairs / held), with a row more or less in the middle
// where their sum is not `pairs`; the busiest first. Deterministic; no draws. Needs held >= 1 and
// 0 <= pairs <= tokens held.
std::vector<std::int64_t> uniform_rows(std::int64_t held, std::int64_t tokens, std::int64_t pairs);

// The expected largest of `count` independent standard normal deviates, to about 1e-6; `count` at least 1.
double largest_of_normals(double count);

}  // namespace warploom
