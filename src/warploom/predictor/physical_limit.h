// The least time of an operator on a GPU, and what sets it.
#pragma once

#include "warploom/base/units.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

struct PhysicalLimit {
  Seconds seconds;
  Bound bound = Bound::Dram;
};

// Throws Unsupported when the GPU cannot run the operator at all. No allocation.
PhysicalLimit physical_limit(const Operator& op, const GpuSpec& gpu);

}  // namespace warploom
