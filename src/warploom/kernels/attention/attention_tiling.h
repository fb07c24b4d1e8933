// Tile rules of the public attention kernels: which kernel runs, how it cuts queries and keys into tasks.
//
// One rule set for the grids of kernel_profile.h and for the learners' structural base.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/attention/attention_tile.h"
#include "warploom/kernels/attention_view.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// The kernel that the hints mean on this GPU; where they name none, or one that cannot run there, what
// engines ship for the GPU. O(1).
AttentionKernel attention_kernel(const KernelHints& hints, const GpuSpec& gpu);

// Expects a checked view. O(groups of requests), no allocation.
AttentionTiling attention_tiling(const AttentionView& view, const GpuSpec& gpu, const KernelHints& hints);

}  // namespace warploom
