// Dynamo's planner in load mode against latency targets (optimization_target sla of 1.x, planner/core/
// load_scaling.py): every look it learns from the latest step of each engine how long steps take, estimates
// the TTFT and the ITL of the next request on each, and has one instance more where all of them miss their
// limit, one less where the others could bear its load.
#pragma once

#include <memory>

#include "warploom/serving/cluster/autoscaling.h"

namespace warploom {

std::unique_ptr<AutoscalingPolicy> latency_planner(const AutoscalingConfig& config);

}  // namespace warploom
