// What Dynamo's planner knows of an engine before it serves: the benchmark that each engine runs of itself
// when it starts (dynamo/vllm/instrumented_scheduler.py, BenchmarkConfig).
#pragma once

#include "warploom/serving/cluster/autoscaling.h"
#include "warploom/serving/cluster/deployment.h"

namespace warploom {

// A look at steps of prompts alone, in 16 sizes up to what a step holds, and of decoding requests alone, 6
// lengths by 6 numbers of them up to what the cache holds; of a pool of one kind only its own. Steps take the
// GPU's time.
PoolLoad benchmark_of(const PoolPlan& plan, PoolRole role);

}  // namespace warploom
