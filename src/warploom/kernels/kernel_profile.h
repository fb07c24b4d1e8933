// One flat numeric description of a call on a GPU, as predict, diagnose and the roofline show it: the tiles,
// splits and parts of the structural model (structural_price.h) that the predictor learns ratios to, and the
// demand on each pipeline that follows from them (task_grid.h).
#pragma once

#include "warploom/kernels/call_profile.h"

namespace warploom {

// What a profile may draw on besides its arguments. Pointers may be null: then the default constants of the
// family serve, and routing loads are computed anew.
struct ProfileSources {
  const BaseConstants* constants = nullptr;  // of the operator's family, as a predictor fitted them
  const RoutingCache* routing = nullptr;
};

// Expects a checked operator. Throws Unsupported when the GPU cannot run the types. No allocation for gemm
// and for attention of up to four request groups.
KernelProfile profile(const Operator& op, const GpuSpec& gpu, const KernelContext& context = {},
                      const ProfileSources& sources = {});

// The kernels behind a profile, block by block.
KernelSequence kernel_sequence(const Operator& op, const GpuSpec& gpu, const KernelContext& context = {},
                               const ProfileSources& sources = {});

}  // namespace warploom
