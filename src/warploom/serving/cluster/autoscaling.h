// When a pool grows and shrinks. A policy sees a pool's load now and then and says how many instances it
// wants; the pool starts new ones (which serve after their start-up) and lets the last ones drain.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// What the instances of a pool do for a request.
enum class PoolRole { Whole, Prefill, Decode };

// One replica of an instance that serves: its latest step and its queue.
struct EngineLoad {
  std::int64_t prompt_tokens = 0, prompts = 0;   // of the step
  std::int64_t decode_tokens = 0, decoding = 0;  // contexts of the step's decoding requests, and how many
  Seconds step{0.0};                             // 0: it has nothing to do
  std::int64_t queued_prompt_tokens = 0;
  std::int64_t queued_decode_tokens = 0;  // of requests that were stopped
};

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
  PoolRole role = PoolRole::Whole;
  std::int64_t step_tokens = 0;   // most of one step
  std::int64_t cache_tokens = 0;  // of one replica; 0: no limit
  std::vector<EngineLoad> engines;
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
  PlannerLatency,  // Dynamo's planner by load against limits: one more or one less by estimated TTFT and ITL
};
template <>
struct EnumNames<ScalingPolicy> {
  static constexpr std::array<std::pair<ScalingPolicy, std::string_view>, 5> kNames{
      {{ScalingPolicy::QueueDepth, "queue_depth"},
       {ScalingPolicy::Hpa, "hpa"},
       {ScalingPolicy::PlannerLoad, "planner_load"},
       {ScalingPolicy::PlannerSla, "planner_sla"},
       {ScalingPolicy::PlannerLatency, "planner_latency"}}};
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
  // PlannerSla: requests per second that an instance serves within its limits; PlannerLatency: the same, as a
  // floor; 0: none.
  double instance_rate = 0;
  // PlannerLatency: the limits, and the share of them within which an instance less must stay. Defaults are
  // Dynamo's.
  Seconds ttft = milliseconds(500);
  Seconds itl = milliseconds(50);
  double down_sensitivity = 0.8;
  Seconds interval{10.0};
  Seconds startup{60.0};
  bool on() const { return max_instances > 0; }
  static FieldTable describe();
};

// Throws InvalidInput on values out of range, fewer at most than at least, and what the policy does not read.
void check_autoscaling(const AutoscalingConfig& config);

}  // namespace warploom
