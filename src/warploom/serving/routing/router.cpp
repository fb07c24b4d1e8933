#include "warploom/serving/routing/router.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

std::size_t least_loaded(const std::vector<ReplicaLoad>& loads) {
  const auto least = std::min_element(
      loads.begin(), loads.end(), [](const ReplicaLoad& a, const ReplicaLoad& b) { return a.live < b.live; });
  return std::size_t(least - loads.begin());
}

std::size_t least_waiting(const std::vector<ReplicaLoad>& loads) {
  // vLLM's weight: a request that waits stands for more work to come than one that runs.
  constexpr std::int64_t kWaitingWeight = 4;
  const auto score = [](const ReplicaLoad& load) {
    return kWaitingWeight * load.waiting + (load.live - load.waiting);
  };
  const auto least =
      std::min_element(loads.begin(), loads.end(),
                       [&](const ReplicaLoad& a, const ReplicaLoad& b) { return score(a) < score(b); });
  return std::size_t(least - loads.begin());
}

// The place of the highest score; equal ones have their turn.
template <class Score>
std::size_t best_of(std::size_t places, std::uint64_t turn, const Score& score) {
  double highest = score(0);
  std::size_t equal = 1;
  for (std::size_t i = 1; i < places; ++i) {
    const double own = score(i);
    if (own > highest)
      highest = own, equal = 1;
    else if (own == highest)
      ++equal;
  }
  std::size_t left = turn % equal, at = 0;
  while (score(at) < highest || left-- > 0) ++at;
  return at;
}

// By place: 1 where the latest prompt of which nothing was cached came longest ago, 0 where it came last; 1/2
// for all where something is cached of the prompt at hand.
std::vector<double> cold_scores(const std::vector<ReplicaLoad>& loads) {
  std::vector<double> scores(loads.size(), 0.5);
  const bool cold = std::all_of(loads.begin(), loads.end(),
                                [](const ReplicaLoad& load) { return load.cached_tokens == 0; });
  if (!cold || loads.size() < 2) return scores;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto earlier = std::count_if(loads.begin(), loads.end(), [&](const ReplicaLoad& other) {
      return other.cold_since < loads[i].cold_since;
    });
    scores[i] = 1 - double(earlier) / double(loads.size() - 1);
  }
  return scores;
}

std::size_t draw_softmax(const std::vector<double>& costs, double temperature, double draw) {
  const auto ends = std::minmax_element(costs.begin(), costs.end());
  const double least = *ends.first, range = *ends.second - least;
  const auto weight = [&](double cost) {
    return range > 0 ? std::exp((least - cost) / (range * temperature)) : 1;
  };
  double sum = 0;
  for (const double cost : costs) sum += weight(cost);
  double left = draw * sum;
  for (std::size_t i = 0; i + 1 < costs.size(); ++i)
    if ((left -= weight(costs[i])) < 0) return i;
  return costs.size() - 1;
}

std::size_t most_cached(const std::vector<ReplicaLoad>& loads) {
  const std::size_t least = least_loaded(loads);
  std::size_t best = least;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i].live > loads[least].live + kPrefixImbalance) continue;
    if (loads[i].cached_tokens > loads[best].cached_tokens) best = i;
  }
  return best;
}

}  // namespace

std::size_t choose_replica(RoutingPolicy policy, std::uint64_t turn, const std::vector<ReplicaLoad>& loads,
                           std::int32_t first_turn_replica) {
  switch (policy) {
    case RoutingPolicy::Engine:
    case RoutingPolicy::Weighted:
    case RoutingPolicy::KvCost:
    case RoutingPolicy::CacheAware:
    case RoutingPolicy::RoundRobin:
      return turn % loads.size();
    case RoutingPolicy::WaitingFirst:
      return least_waiting(loads);
    case RoutingPolicy::LeastLoaded:
      return least_loaded(loads);
    case RoutingPolicy::PrefixAware:
      return most_cached(loads);
    case RoutingPolicy::SessionSticky:
      return first_turn_replica >= 0 ? std::size_t(first_turn_replica) : least_loaded(loads);
  }
  return 0;
}

bool looks_at_prefixes(RoutingPolicy policy) {
  return policy == RoutingPolicy::PrefixAware || policy == RoutingPolicy::Weighted || counts_own(policy);
}

bool counts_own(RoutingPolicy policy) {
  return policy == RoutingPolicy::KvCost || policy == RoutingPolicy::CacheAware;
}

std::size_t choose_weighted(const FleetRules& rules, std::uint64_t turn,
                            const std::vector<ReplicaLoad>& loads, std::int32_t input_tokens) {
  const auto ends =
      std::minmax_element(loads.begin(), loads.end(),
                          [](const ReplicaLoad& a, const ReplicaLoad& b) { return a.waiting < b.waiting; });
  const std::int64_t most = ends.second->waiting;
  const double spread = double(most - ends.first->waiting);
  const auto cold = rules.cold_weight > 0 ? cold_scores(loads) : std::vector<double>{};
  return best_of(loads.size(), turn, [&](std::size_t i) {
    const double queue = spread > 0 ? double(most - loads[i].waiting) / spread : 1;
    return rules.prefix_weight * double(loads[i].cached_tokens) / double(std::max(1, input_tokens)) +
           rules.queue_weight * queue + rules.kv_weight * (1 - loads[i].kv_use) +
           (cold.empty() ? 0 : rules.cold_weight * cold[i]);
  });
}

std::size_t choose_kv_cost(const FleetRules& rules, std::uint64_t turn, double draw,
                           const std::vector<ReplicaLoad>& loads, std::int32_t input_tokens,
                           std::int64_t block_tokens) {
  const double block = double(block_tokens);
  const auto cost = [&](const ReplicaLoad& load) {
    const double saved = rules.overlap_credit * double(load.cached_tokens) / block;
    const double prompts = std::max(0.0, load.prompt_blocks + double(input_tokens) / block - saved);
    return rules.prefill_scale * prompts + load.used_blocks;
  };
  if (rules.temperature > 0) {
    std::vector<double> costs;
    for (const ReplicaLoad& load : loads) costs.push_back(cost(load));
    return draw_softmax(costs, rules.temperature, draw);
  }
  return best_of(loads.size(), turn, [&](std::size_t i) { return -cost(loads[i]); });
}

std::size_t choose_cache_aware(const FleetRules& rules, const std::vector<ReplicaLoad>& loads,
                               std::int32_t input_tokens) {
  const std::size_t least = least_loaded(loads);
  std::int64_t most = 0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    most = std::max(most, loads[i].live);
    if (loads[i].cached_tokens > loads[known].cached_tokens) known = i;
  }
  const std::int64_t fewest = loads[least].live;
  const bool uneven = most - fewest > rules.balance_abs && double(most) > rules.balance_rel * double(fewest);
  const double share = double(loads[known].cached_tokens) / double(std::max(1, input_tokens));
  return !uneven && share > rules.cache_threshold ? known : least;
}

}  // namespace warploom
