// Which replica a request goes to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"

namespace warploom {

enum class RoutingPolicy {
  RoundRobin,   // in turn, by the request's place in the workload
  LeastLoaded,  // where the fewest requests wait or run
  PrefixAware,  // where most of the prompt is cached, unless that replica is far busier than the least loaded
  SessionSticky,  // where the session's first turn went; first turns to the least loaded
};
template <>
struct EnumNames<RoutingPolicy> {
  static constexpr std::array<std::pair<RoutingPolicy, std::string_view>, 4> kNames{
      {{RoutingPolicy::RoundRobin, "round_robin"},
       {RoutingPolicy::LeastLoaded, "least_loaded"},
       {RoutingPolicy::PrefixAware, "prefix_aware"},
       {RoutingPolicy::SessionSticky, "session_sticky"}}};
};

// What the router sees of a replica.
struct ReplicaLoad {
  std::int64_t live = 0;           // requests that wait or run
  std::int64_t cached_tokens = 0;  // of the prompt at hand; read by PrefixAware alone
};

// A replica holds this many more requests than the least loaded before its cached prefix no longer counts.
constexpr std::int64_t kPrefixImbalance = 32;

// The replica for a request. `loads` is not empty; `first_turn_replica` is -1 for first turns. Ties go to the
// lower index. O(replicas).
std::size_t choose_replica(RoutingPolicy policy, std::uint32_t request, const std::vector<ReplicaLoad>& loads,
                           std::int32_t first_turn_replica);

}  // namespace warploom
