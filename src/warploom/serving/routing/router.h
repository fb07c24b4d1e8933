// Which replica a request goes to.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/base/fields.h"

namespace warploom {

enum class RoutingPolicy {
  Engine,  // copies in turn, and within a copy as the engine's own front end does, see EngineSpec::balance
  RoundRobin,    // in turn
  WaitingFirst,  // where 4 x waiting + running requests is least
  LeastLoaded,   // where the fewest requests wait or run
  PrefixAware,  // where most of the prompt is cached, unless that replica is far busier than the least loaded
  SessionSticky,  // where the session's first turn went; first turns to the least loaded
};
template <>
struct EnumNames<RoutingPolicy> {
  static constexpr std::array<std::pair<RoutingPolicy, std::string_view>, 6> kNames{
      {{RoutingPolicy::Engine, "engine"},
       {RoutingPolicy::RoundRobin, "round_robin"},
       {RoutingPolicy::WaitingFirst, "waiting_first"},
       {RoutingPolicy::LeastLoaded, "least_loaded"},
       {RoutingPolicy::PrefixAware, "prefix_aware"},
       {RoutingPolicy::SessionSticky, "session_sticky"}}};
};

// What the router sees of a replica.
struct ReplicaLoad {
  std::int64_t live = 0;           // requests that wait or run
  std::int64_t cached_tokens = 0;  // of the prompt at hand; read by PrefixAware alone
  std::int64_t waiting = 0;        // of `live`; read by WaitingFirst alone
};

// A replica holds this many more requests than the least loaded before its cached prefix no longer counts.
constexpr std::int64_t kPrefixImbalance = 32;

// The replica for a request. `loads` is not empty; `turn` counts the requests given out before;
// `first_turn_replica` is -1 for first turns. Ties go to the lower index. Engine is taken as RoundRobin.
// O(replicas).
std::size_t choose_replica(RoutingPolicy policy, std::uint64_t turn, const std::vector<ReplicaLoad>& loads,
                           std::int32_t first_turn_replica);

}  // namespace warploom
