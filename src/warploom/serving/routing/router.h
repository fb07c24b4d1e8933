// Which replica a request goes to.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/serving/routing/fleet_rules.h"

namespace warploom {

enum class RoutingPolicy {
  Engine,  // copies in turn, and within a copy as the engine's own front end does, see EngineSpec::balance
  RoundRobin,    // in turn
  WaitingFirst,  // where 4 x waiting + running requests is least
  LeastLoaded,   // where the fewest requests wait or run
  PrefixAware,  // where most of the prompt is cached, unless that replica is far busier than the least loaded
  SessionSticky,  // where the session's first turn went; first turns to the least loaded
  Weighted,       // where FleetRules' weighted sum of cached prefix, short queue and free cache is highest
  KvCost,      // where the prompt's uncached blocks and the blocks in use are fewest, as Dynamo's KV router
  CacheAware,  // where its prefix went before, unless loads differ much, as SGLang's router
};
template <>
struct EnumNames<RoutingPolicy> {
  static constexpr std::array<std::pair<RoutingPolicy, std::string_view>, 9> kNames{
      {{RoutingPolicy::Engine, "engine"},
       {RoutingPolicy::RoundRobin, "round_robin"},
       {RoutingPolicy::WaitingFirst, "waiting_first"},
       {RoutingPolicy::LeastLoaded, "least_loaded"},
       {RoutingPolicy::PrefixAware, "prefix_aware"},
       {RoutingPolicy::SessionSticky, "session_sticky"},
       {RoutingPolicy::Weighted, "weighted"},
       {RoutingPolicy::KvCost, "kv_cost"},
       {RoutingPolicy::CacheAware, "cache_aware"}}};
};

// What the router sees of a replica.
struct ReplicaLoad {
  std::int64_t live = 0;           // requests that wait or run
  std::int64_t cached_tokens = 0;  // of the prompt at hand; read by PrefixAware and Weighted
  std::int64_t waiting = 0;        // of `live`; read by WaitingFirst and Weighted
  double kv_use = 0;               // share of the KV cache; read by Weighted alone
  std::uint64_t cold_since = 0;    // turn of its latest prompt of which nothing was cached; Weighted
  // Read by KvCost, in blocks: prompts sent there that have given no token, without what was cached of them;
  // all that is in use there, once the prompt at hand would be too.
  double prompt_blocks = 0, used_blocks = 0;
};

// Whether a policy asks what is cached of a prompt, and whether it counts the load itself.
bool looks_at_prefixes(RoutingPolicy policy);
bool counts_own(RoutingPolicy policy);

// A replica holds this many more requests than the least loaded before its cached prefix no longer counts.
constexpr std::int64_t kPrefixImbalance = 32;

// The replica for a request. `loads` is not empty; `turn` counts the requests given out before;
// `first_turn_replica` is -1 for first turns. Ties go to the lower index. Engine is taken as RoundRobin.
// O(replicas). Not of Weighted, KvCost and CacheAware.
std::size_t choose_replica(RoutingPolicy policy, std::uint64_t turn, const std::vector<ReplicaLoad>& loads,
                           std::int32_t first_turn_replica);

// The replica with the highest sum of weight * score for a prompt of `input_tokens`. Scores lie in 0 .. 1,
// as in the Gateway API Inference Extension: the cached share of the prompt; (most waiting - waiting) /
// (most - least waiting), 1 where these are equal; 1 - the cache's use; of a prompt of which nothing is
// cached anywhere, from 1 for the replica that had one longest ago down to 0 for the latest, else 1/2.
// Equal ones have their turn.
std::size_t choose_weighted(const FleetRules& rules, std::uint64_t turn,
                            const std::vector<ReplicaLoad>& loads, std::int32_t input_tokens);

// The least of prefill_scale * max(0, prompt_blocks + the prompt's - overlap_credit * its cached ones) +
// used_blocks. Equal ones have their turn; with a temperature, `draw` in [0, 1) picks by the softmax of the
// costs over their range.
std::size_t choose_kv_cost(const FleetRules& rules, std::uint64_t turn, double draw,
                           const std::vector<ReplicaLoad>& loads, std::int32_t input_tokens,
                           std::int64_t block_tokens);

// The least loaded where loads differ by more than balance_abs and balance_rel; else the one that knows most
// of the prompt, where that is above cache_threshold of it; else the least loaded.
std::size_t choose_cache_aware(const FleetRules& rules, const std::vector<ReplicaLoad>& loads,
                               std::int32_t input_tokens);

}  // namespace warploom
