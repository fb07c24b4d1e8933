// What the ceiling learner sees of an operator on a GPU.
//
// Ratios to the physical bound, wave counts and fills: no name of a GPU or of an implementation, so that what
// one GPU has shown serves another of the same balance.
#pragma once

#include "warploom/kernels/frozen/frozen_profile.h"
#include "warploom/learning/feature_row.h"

namespace warploom {

// Changes with the meaning, order or number of the features; ceiling files carry it.
inline constexpr int kCeilingFeatureVersion = 1;

// Fills `row` (logarithms taken) from the frozen_profile() of the same operator on the same GPU. The number
// of features is the same for every family. No allocation.
void ceiling_features(const Operator& op, const GpuSpec& gpu, const KernelProfile& profile, FeatureRow& row);

}  // namespace warploom
