// The attention base of whichever kernel a context means.
#pragma once

#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/known_kernel.h"

namespace warploom {

// The form that the view has; the collector's own kernels by theirs (collector_attention_base.h).
AttentionBase attention_base(const AttentionView& view, const AttentionTiling& tiling,
                             const KernelHints& hints, KnownKernel known, const GpuSpec& gpu,
                             const BaseConstants& fitted);

}  // namespace warploom
