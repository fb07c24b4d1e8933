// When a pool grows and shrinks. A policy sees a pool's load now and then and says how many instances it
// wants; the pool starts new ones (which serve after their start-up) and lets the last ones drain.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

struct PoolLoad {
  std::int64_t instances = 0;  // that serve or start
  std::int64_t starting = 0;   // of them
  std::int64_t waiting = 0;    // requests in queues, those that no instance took included
  std::int64_t running = 0;
  // Filled by a look at the load alone (Pool::scaling_load):
  Seconds at;
  std::int64_t arrived = 0;  // since the look before
  double kv_use = 0;         // shares of the instances' caches that are in use, summed
  // How full the fullest instance's cache would be if what waits for it were in it.
  double most_kv_load = 0;
};

class AutoscalingPolicy {
 public:
  virtual ~AutoscalingPolicy() = default;
  virtual std::int64_t wanted(const PoolLoad& load) = 0;
};

enum class ScalingPolicy {
  QueueDepth,   // one more or one less by the requests that wait for an instance
  Hpa,          // Kubernetes' HorizontalPodAutoscaler: so many that the metric of each meets its target
  PlannerLoad,  // Dynamo's planner by load: one more or one less by how full the caches would be
  PlannerSla,   // Dynamo's planner by throughput: what came, over what an instance serves within its limits
};
template <>
struct EnumNames<ScalingPolicy> {
  static constexpr std::array<std::pair<ScalingPolicy, std::string_view>, 4> kNames{
      {{ScalingPolicy::QueueDepth, "queue_depth"},
       {ScalingPolicy::Hpa, "hpa"},
       {ScalingPolicy::PlannerLoad, "planner_load"},
       {ScalingPolicy::PlannerSla, "planner_sla"}}};
};

enum class ScalingMetric { Waiting, Live, KvUse };
template <>
struct EnumNames<ScalingMetric> {
  static constexpr std::array<std::pair<ScalingMetric, std::string_view>, 3> kNames{
      {{ScalingMetric::Waiting, "waiting"}, {ScalingMetric::Live, "live"}, {ScalingMetric::KvUse, "kv_use"}}};
};

struct AutoscalingConfig {
  std::int64_t max_instances = 0;  // 0: the pool keeps its size
  std::int64_t min_instances = 1;
  ScalingPolicy policy = ScalingPolicy::QueueDepth;
  double queue_depth = 8;  // waiting requests of an instance above which another starts
  // Hpa: requests that wait, or wait or run, or share of the cache in use, of an instance. The tolerance and
  // the time over which the highest wish counts before fewer are kept are Kubernetes' defaults.
  ScalingMetric metric = ScalingMetric::Waiting;
  double target = 4;
  double tolerance = 0.1;
  Seconds down_window{300.0};
  // PlannerLoad: shares of a cache, those of Dynamo's planner for throughput (for latency 0.4 and 0.1).
  double up_load = 1, down_load = 0.6;
  double instance_rate = 0;  // PlannerSla: requests per second that an instance serves within its limits
  Seconds interval{10.0};
  Seconds startup{60.0};
  bool on() const { return max_instances > 0; }
  static FieldTable describe();
};

// Throws InvalidInput on values out of range, fewer at most than at least, and what the policy does not read.
void check_autoscaling(const AutoscalingConfig& config);

// QueueDepth: one more when the queues hold more than queue_depth requests for each instance; one less when
// nothing waits and the running requests of the last would spread over the others as less than queue_depth
// more for each.
// Hpa: the metric's sum over the target, where it is further than the tolerance from what instances are for;
// at most four more or twice as many at a look; fewer once no look within down_window wished for more.
// PlannerLoad: one more when any instance's cache would be fuller than up_load, one less when all would be
// emptier than down_load; neither while one starts (core/load_scaling.py of Dynamo 1.4).
// PlannerSla: the requests of the latest interval over instance_rate (core/throughput_scaling.py, where a
// model of the engine says that rate).
std::unique_ptr<AutoscalingPolicy> scaling_policy(const AutoscalingConfig& config);

}  // namespace warploom
