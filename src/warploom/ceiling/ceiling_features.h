// What the ceiling learner sees of an operator on a GPU.
//
// Ratios to the physical bound, wave counts and fills: no name of a GPU or of an implementation, so that what
// one GPU has shown serves another of the same balance.
#pragma once

#include "warploom/kernels/kernel_profile.h"
#include "warploom/learning/feature_row.h"

namespace warploom {

// Changes with the meaning, order or number of the features; ceiling files carry it.
inline constexpr int kCeilingFeatureVersion = 2;

// The description of a call that ceilings are learned on and asked with: of no implementation, by the default
// constants. `routing` may be null. Throws Unsupported when the GPU cannot run the types.
KernelProfile ceiling_profile(const Operator& op, const GpuSpec& gpu, const RoutingCache* routing = nullptr);

// Fills `row` (logarithms taken) from the ceiling_profile() of the same operator on the same GPU. The number
// of features is the same for every family. No allocation.
void ceiling_features(const Operator& op, const GpuSpec& gpu, const KernelProfile& profile, FeatureRow& row);

}  // namespace warploom
