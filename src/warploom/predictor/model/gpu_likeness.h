// How alike two GPUs are: how far measurements of one hold for the other.
#pragma once

#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Architectures (architecture_class) for which libraries compile the same attention sources: graphics parts
// of different generations.
bool are_cousins(int architecture, int other);

// Distance of two GPUs' specs: root of summed squares of logarithms of their rates and sizes.
double gpu_distance(const GpuSpec& a, const GpuSpec& b);

}  // namespace warploom
