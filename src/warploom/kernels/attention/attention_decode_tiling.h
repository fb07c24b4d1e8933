// The decode half of attention_tiling.h.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/attention/attention_tile.h"
#include "warploom/kernels/attention_view.h"
#include "warploom/kernels/kernel_hints.h"

namespace warploom {

// Fills rows, keys, design and splits for decode; kernel, width and fp8_products are set. O(1).
void tile_decode(const AttentionView& view, const GpuSpec& gpu, const KernelHints& hints,
                 AttentionTiling& tiling);

}  // namespace warploom
