#include "warploom/serving/routing/router.h"

#include <algorithm>

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

std::size_t choose_weighted(const FleetRules& rules, std::uint64_t turn,
                            const std::vector<ReplicaLoad>& loads, std::int32_t input_tokens) {
  const auto ends =
      std::minmax_element(loads.begin(), loads.end(),
                          [](const ReplicaLoad& a, const ReplicaLoad& b) { return a.waiting < b.waiting; });
  const auto most = ends.second->waiting;
  const double spread = double(most - ends.first->waiting);
  const auto score = [&](const ReplicaLoad& load) {
    const double queue = spread > 0 ? double(most - load.waiting) / spread : 1;
    return rules.prefix_weight * double(load.cached_tokens) / double(std::max(1, input_tokens)) +
           rules.queue_weight * queue + rules.kv_weight * (1 - load.kv_use);
  };
  std::vector<std::size_t> best;
  double highest = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const double own = score(loads[i]);
    if (best.empty() || own > highest) {
      best.assign(1, i);
      highest = own;
    } else if (own == highest) {
      best.push_back(i);
    }
  }
  return best[turn % best.size()];
}

}  // namespace warploom
