#include "warploom/kernels/expert_placement.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// Where packing puts each item: `place` counts through the packs one after another.
std::vector<std::size_t> pack_evenly(std::span<const double> weights, std::size_t packs) {
  const std::size_t each = weights.size() / packs;
  std::vector<std::size_t> places(weights.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (each == 1) return places;
  std::vector<std::size_t> order = places;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::vector<double> packed(packs, 0.0);
  std::vector<std::size_t> items(packs, 0);
  for (const std::size_t item : order) {
    const auto pack = std::size_t(std::min_element(packed.begin(), packed.end()) - packed.begin());
    places[item] = pack * each + items[pack];
    packed[pack] += weights[item];
    if (++items[pack] == each) packed[pack] = std::numeric_limits<double>::infinity();
  }
  return places;
}

// The expert of each of `slots` slots, before they are packed: every expert once, then the replicas.
std::vector<std::size_t> replicate(std::span<const double> loads, std::size_t slots,
                                   std::vector<double>& slot_loads) {
  std::vector<std::size_t> expert_of(slots);
  std::vector<double> replicas(loads.size(), 1.0), each(loads.begin(), loads.end());
  std::iota(expert_of.begin(), expert_of.begin() + std::ptrdiff_t(loads.size()), std::size_t{0});
  for (std::size_t slot = loads.size(); slot < slots; ++slot) {
    const auto most = std::size_t(std::max_element(each.begin(), each.end()) - each.begin());
    expert_of[slot] = most;
    replicas[most] += 1;
    each[most] = loads[most] / replicas[most];
  }
  slot_loads.resize(slots);
  for (std::size_t slot = 0; slot < slots; ++slot) slot_loads[slot] = each[expert_of[slot]];
  return expert_of;
}

}  // namespace

std::vector<std::int32_t> place_experts(std::span<const double> loads, const ExpertSlots& slots) {
  const std::size_t experts = loads.size(), groups = std::size_t(slots.groups),
                    nodes = std::size_t(slots.nodes), all = std::size_t(slots.slots);
  WARPLOOM_ASSERT(all >= experts && all % std::size_t(slots.ranks) == 0 && all % nodes == 0);
  WARPLOOM_ASSERT(experts % groups == 0 && groups % nodes == 0 && slots.ranks % slots.nodes == 0);
  const std::size_t group_size = experts / groups, node_experts = experts / nodes, node_slots = all / nodes;
  std::vector<double> group_loads(groups, 0.0);
  for (std::size_t expert = 0; expert < experts; ++expert) group_loads[expert / group_size] += loads[expert];
  const std::vector<std::size_t> group_places = pack_evenly(group_loads, nodes);
  std::vector<std::int32_t> by_node(experts);  // experts in the order of their nodes
  for (std::size_t expert = 0; expert < experts; ++expert)
    by_node[group_places[expert / group_size] * group_size + expert % group_size] = std::int32_t(expert);
  std::vector<std::int32_t> placed(all);
  std::vector<double> node_loads(node_experts), slot_loads;
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t i = 0; i < node_experts; ++i)
      node_loads[i] = loads[std::size_t(by_node[node * node_experts + i])];
    const std::vector<std::size_t> expert_of = replicate(node_loads, node_slots, slot_loads);
    const std::vector<std::size_t> places =
        pack_evenly(slot_loads, std::size_t(slots.ranks) / std::size_t(slots.nodes));
    for (std::size_t slot = 0; slot < node_slots; ++slot)
      placed[node * node_slots + places[slot]] = by_node[node * node_experts + expert_of[slot]];
  }
  return placed;
}

}  // namespace warploom
