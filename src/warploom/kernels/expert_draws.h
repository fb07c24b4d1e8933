// Draws of how many pairs each expert has: what the loads of skewed and of placed experts share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/kernels/operator.h"
#include "warploom/kernels/routing_load.h"

namespace warploom {

// One expert more, with `pairs`; busiest_pairs stays.
void add_expert(RoutingLoad& load, std::int64_t pairs);

// Adds `weight` times `load` to a mean; experts_held becomes that of `load`.
void accumulate(RoutingLoad& mean, const RoutingLoad& load, double weight);

// Loads of power-law routing in rising order, one drawn in each stratum of the distribution, in no unit.
void draw_power_law(const FusedMoe& op, RandomStream& rng, std::vector<double>& loads);

// Successes among `trials` with that chance, above 0: exact where successes or failures are below a mean of
// 12, else normal.
std::int64_t draw_binomial(std::int64_t trials, double chance, RandomStream& rng);

// Moves counts to the sum `total`, none above `most`, round robin over the experts.
void repair(std::vector<std::int64_t>& counts, std::int64_t total, std::int64_t most);

// Fisher-Yates.
template <class T>
void shuffle_items(std::vector<T>& items, RandomStream& rng) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const auto with = std::size_t(rng.uniform() * double(i));
    std::swap(items[i - 1], items[with < i ? with : i - 1]);
  }
}

}  // namespace warploom
