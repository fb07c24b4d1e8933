// What a router in front of a fleet knows and refuses.
#pragma once

#include <cstdint>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

struct FleetRules {
  // Weights of the signals of RoutingPolicy::Weighted. Defaults are those of the Gateway API Inference
  // Extension, which llm-d builds on (prefix-cache-scorer 3, queue-scorer 2, kv-cache-utilization-scorer 2).
  double prefix_weight = 3, queue_weight = 2, kv_weight = 2;
  // Its fourth: how long a replica has had no prompt that nothing was cached of (llm-d's no-hit-lru-scorer,
  // to which its optimized-baseline gives 2).
  double cold_weight = 0;
  // Load is seen as it was at the latest multiple of this; 0: as it is. The endpoint picker of that extension
  // looks every 0.05 s. Policies that count what they send themselves (counts_own) see it as it is.
  Seconds signal_interval{0.0};
  // What policies that look at prefixes know of the caches: of what engines keep, all that is so old; or,
  // where `remembers_routed`, the prompts that they sent there, for so long (0: for ever).
  Seconds event_delay{0.0};
  bool remembers_routed = false;
  Seconds routed_memory{0.0};
  // RoutingPolicy::KvCost: how much of a cached block is saved of a prompt, what a block of a prompt costs
  // over one that decodes, and how unlike the least cost a choice may be. Defaults: Dynamo's KV router
  // (1.4: overlap_score_credit, prefill_load_scale, router_temperature).
  double overlap_credit = 1, prefill_scale = 1, temperature = 0;
  // RoutingPolicy::CacheAware: share of a prompt that must be known to a replica for it to follow its prefix,
  // and the spread of live requests (so many more, and so many times as many) at which the least loaded is
  // taken instead. Defaults: those of SGLang's router (sglang-router 0.3.2, router_args.py).
  double cache_threshold = 0.3;
  std::int64_t balance_abs = 64;
  double balance_rel = 1.5;
  // Requests that may wait in the first pool for each instance that serves; one that comes when as many wait
  // is turned away. 0: any number.
  std::int64_t max_queued = 0;
  // A client leaves so long after its request arrived. What waits is taken out; a request that runs ends with
  // the token that comes next. 0: never.
  Seconds request_timeout{0.0};
  // Processes that take requests in, each one event loop (cluster/front_end.h). 0: one for each instance of
  // the first pool, as each has a server of its own. A load generator or a router that is one process makes
  // it 1.
  std::int64_t front_ends = 0;
  bool turns_away() const { return max_queued > 0 || request_timeout.value() > 0; }
  static FieldTable describe();
};

}  // namespace warploom
