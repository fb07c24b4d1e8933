// What every builder of a profile ends with: pipeline times, schedule and roofline of the kernels it chose.
#pragma once

#include "warploom/kernels/call_profile.h"

namespace warploom {

struct ProfileParts {
  KernelSequence sequence;
  KernelProfile profile;         // tiles and, where it depends on routing, work: set by the builder
  double network_bandwidth = 0;  // B/s
  double structural = 0;         // seconds
};

// Launches cost plain round figures here, so that the roofline stays a baseline.
KernelProfile finished_profile(const Operator& op, const GpuSpec& gpu, ProfileParts parts);

}  // namespace warploom
