#include "warploom/kernels/placed_routing.h"

#include <algorithm>
#include <vector>

#include "warploom/kernels/expert_draws.h"
#include "warploom/kernels/expert_placement.h"

namespace warploom {
namespace {

constexpr int kSteps = 16;

// Average loads of the experts, in the order in which they lie in the model.
void draw_loads(const FusedMoe& op, RandomStream& rng, std::vector<double>& loads) {
  if (op.routing != RoutingKind::PowerLaw || op.routing_alpha <= 0) {
    std::fill(loads.begin(), loads.end(), 1.0);
    return;
  }
  draw_power_law(op, rng, loads);
  shuffle_items(loads, rng);
}

// The pairs that a step brings each expert.
void draw_step(const FusedMoe& op, const std::vector<double>& loads, RandomStream& rng,
               std::vector<std::int64_t>& counts) {
  double sum = 0;
  for (const double load : loads) sum += load;
  const bool exact = op.routing == RoutingKind::Balanced;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const double chance = std::min(1.0, double(op.top_k) * loads[i] / sum);
    counts[i] = exact ? std::int64_t(double(op.tokens) * chance) : draw_binomial(op.tokens, chance, rng);
  }
  repair(counts, op.tokens * op.top_k, op.tokens);
}

// The pairs of each slot: its share of its expert's.
std::vector<std::int64_t> spread_over_slots(const std::vector<std::int32_t>& slots,
                                            const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> replicas(counts.size(), 0), given(counts.size(), 0), pairs(slots.size());
  for (const std::int32_t expert : slots) ++replicas[std::size_t(expert)];
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const auto expert = std::size_t(slots[slot]);
    pairs[slot] = (counts[expert] + given[expert]) / replicas[expert];
    ++given[expert];
  }
  return pairs;
}

RoutingLoad busiest_rank(const std::vector<std::int64_t>& pairs, std::size_t held) {
  RoutingLoad busiest;
  for (std::size_t begin = 0; begin + held <= pairs.size(); begin += held) {
    RoutingLoad rank;
    rank.experts_held = double(held);
    for (std::size_t slot = begin; slot < begin + held; ++slot) {
      add_expert(rank, pairs[slot]);
      rank.busiest_pairs = std::max(rank.busiest_pairs, double(pairs[slot]));
    }
    if (begin == 0 || rank.pairs > busiest.pairs) busiest = rank;
  }
  return busiest;
}

}  // namespace

bool is_placed(const FusedMoe& op) { return op.placement_groups > 0; }

RoutingLoad placed_load(const FusedMoe& op) {
  const ExpertSlots slots{.slots = op.experts + op.redundant_experts,
                          .ranks = op.expert_parallel,
                          .groups = op.placement_groups,
                          .nodes = op.placement_nodes};
  RandomStream rng(0xE91B, "placed_routing");
  std::vector<double> loads(std::size_t(op.experts));
  std::vector<std::int64_t> counts(loads.size());
  RoutingLoad mean;
  for (int step = 0; step < kSteps; ++step) {
    draw_loads(op, rng, loads);
    const std::vector<std::int32_t> placed = place_experts(loads, slots);
    draw_step(op, loads, rng, counts);
    const auto held = std::size_t(slots.slots / slots.ranks);
    accumulate(mean, busiest_rank(spread_over_slots(placed, counts), held), 1.0 / kSteps);
  }
  return mean;
}

}  // namespace warploom
