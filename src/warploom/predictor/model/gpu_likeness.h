// How alike two GPUs are: how far measurements of one hold for the other.
#pragma once

#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Distance of two GPUs' specs: root of summed squares of logarithms of their rates and sizes.
double gpu_distance(const GpuSpec& a, const GpuSpec& b);

}  // namespace warploom
