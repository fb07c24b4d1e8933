#include "warploom/kernels/routing_spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warploom/kernels/expert_draws.h"
#include "warploom/kernels/expert_placement.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/placed_routing.h"

namespace warploom {
namespace {

constexpr int kLoads = 4;   // draws of the experts' loads
constexpr int kSteps = 64;  // of each

std::int64_t draw_share(std::int64_t trials, double chance, RandomStream& rng) {
  return chance <= 0 || trials <= 0 ? 0 : draw_binomial(trials, chance, rng);
}

// Average loads of the experts, in the order in which they lie in the model.
std::vector<double> expert_loads(const FusedMoe& op, RandomStream& rng) {
  std::vector<double> loads(std::size_t(op.experts), 1.0);
  if (op.routing == RoutingKind::PowerLaw && op.routing_alpha > 0) {
    draw_power_law(op, rng, loads);
    shuffle_items(loads, rng);
  }
  return loads;
}

}  // namespace

std::vector<double> rank_shares(const FusedMoe& op, RandomStream& rng) {
  const std::vector<double> loads = expert_loads(op, rng);
  const auto ranks = std::size_t(op.expert_parallel);
  std::vector<double> shares(ranks, 0.0);
  if (is_placed(op)) {
    const std::vector<std::int32_t> slots = place_experts(loads, {.slots = op.experts + op.redundant_experts,
                                                                  .ranks = op.expert_parallel,
                                                                  .groups = op.placement_groups,
                                                                  .nodes = op.placement_nodes});
    std::vector<double> replicas(loads.size(), 0.0);
    for (const std::int32_t expert : slots) replicas[std::size_t(expert)] += 1;
    for (std::size_t slot = 0; slot < slots.size(); ++slot)
      shares[slot * ranks / slots.size()] +=
          loads[std::size_t(slots[slot])] / replicas[std::size_t(slots[slot])];
  } else {
    const std::size_t held = std::max<std::size_t>(1, loads.size() / ranks);
    for (std::size_t i = 0; i < loads.size(); ++i) shares[std::min(i / held, ranks - 1)] += loads[i];
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

void draw_rank_pairs(std::span<const double> shares, std::int64_t pairs, RandomStream& rng,
                     std::span<std::int64_t> drawn) {
  double left = 1;
  std::int64_t open = pairs;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    const bool last = rank + 1 == shares.size();
    drawn[rank] = last ? open : draw_share(open, left > 0 ? std::min(1.0, shares[rank] / left) : 1.0, rng);
    open -= drawn[rank];
    left -= shares[rank];
  }
}

double busiest_spread(const FusedMoe& op) {
  if (op.expert_parallel < 2 || (routes_evenly(op) && !is_placed(op)) || op.routing == RoutingKind::Balanced)
    return 0;
  RandomStream rng(0x59EAD, "routing_spread");
  std::vector<std::int64_t> drawn(std::size_t(op.expert_parallel));
  double spread = 0;
  for (int load = 0; load < kLoads; ++load) {
    const std::vector<double> shares = rank_shares(op, rng);
    double sum = 0, squares = 0;
    for (int step = 0; step < kSteps; ++step) {
      draw_rank_pairs(shares, op.tokens * op.top_k, rng, drawn);
      const auto busiest = double(*std::max_element(drawn.begin(), drawn.end()));
      sum += busiest;
      squares += busiest * busiest;
    }
    const double mean = sum / kSteps;
    spread += std::sqrt(std::max(0.0, squares / kSteps - mean * mean)) / mean / kLoads;
  }
  return spread;
}

}  // namespace warploom
