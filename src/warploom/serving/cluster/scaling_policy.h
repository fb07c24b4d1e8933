// The policies of AutoscalingConfig.
#pragma once

#include <memory>

#include "warploom/serving/cluster/autoscaling.h"

namespace warploom {

// QueueDepth: one more when the queues hold more than queue_depth requests for each instance; one less when
// nothing waits and the running requests of the last would spread over the others as less than queue_depth
// more for each.
// Hpa: the metric's sum over the target, where it is further than the tolerance from what instances are for;
// at most four more or twice as many at a look; fewer once no look within down_window wished for more.
// PlannerLoad: one more when any instance's cache would be fuller than up_load, one less when all would be
// emptier than down_load; neither while one starts (core/load_scaling.py of Dynamo 1.4).
// PlannerSla: the requests of the latest interval over instance_rate (core/throughput_scaling.py, where a
// model of the engine says that rate).
// PlannerLatency: latency_planner.h. With instance_rate what came in the latest 180 s is a floor, as with
// both modes of Dynamo's planner on.
std::unique_ptr<AutoscalingPolicy> scaling_policy(const AutoscalingConfig& config);

}  // namespace warploom
