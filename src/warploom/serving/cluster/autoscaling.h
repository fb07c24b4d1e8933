// When a pool grows and shrinks. A policy sees a pool's load now and then and says how many instances it
// wants; the pool starts new ones (which serve after their start-up) and lets the last ones drain.
#pragma once

#include <cstdint>
#include <memory>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

struct PoolLoad {
  std::int64_t instances = 0;  // that serve or start
  std::int64_t waiting = 0;    // requests in queues, those that no instance took included
  std::int64_t running = 0;
};

class AutoscalingPolicy {
 public:
  virtual ~AutoscalingPolicy() = default;
  virtual std::int64_t wanted(const PoolLoad& load) = 0;
};

struct AutoscalingConfig {
  std::int64_t max_instances = 0;  // 0: the pool keeps its size
  std::int64_t min_instances = 1;
  double queue_depth = 8;  // waiting requests of an instance above which another starts
  Seconds interval{10.0};
  Seconds startup{60.0};
  bool on() const { return max_instances > 0; }
  static FieldTable describe();
};

// Throws InvalidInput on values out of range or fewer at most than at least.
void check_autoscaling(const AutoscalingConfig& config);

// One more when the queues hold more than queue_depth requests for each instance; one less when nothing waits
// and the running requests of the last would spread over the others as less than queue_depth more for each.
std::unique_ptr<AutoscalingPolicy> queue_depth_policy(const AutoscalingConfig& config);

}  // namespace warploom
