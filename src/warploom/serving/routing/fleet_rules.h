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
  // Load is seen as it was at the latest multiple of this; 0: as it is. The endpoint picker of that extension
  // looks every 0.05 s. What a replica has cached is always known.
  Seconds signal_interval{0.0};
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
