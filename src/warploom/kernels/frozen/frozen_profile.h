// The description of a call that the shipped ceilings were learned on (data/ceiling, kCeilingFeatureVersion)
// and that the published baselines are fed with. Frozen: it has tile choices and constants of its own
// (gemm_tile_model.h, structural_time.h, structural_parameters.h), and no figure of it is shown to anybody.
// What is shown, and what the predictor learns ratios to, is kernel_profile.h.
//
// It goes when ceilings are trained again on kernel_profile.h with a new kCeilingFeatureVersion.
#pragma once

#include "warploom/kernels/kernel_profile.h"

namespace warploom {

// As profile(), but by the frozen rules; `routing` may be null.
KernelProfile frozen_profile(const Operator& op, const GpuSpec& gpu, const KernelContext& context = {},
                             const RoutingCache* routing = nullptr);

}  // namespace warploom
