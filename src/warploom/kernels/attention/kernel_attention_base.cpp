#include "warploom/kernels/attention/kernel_attention_base.h"

#include "warploom/kernels/attention/collector_attention_base.h"

namespace warploom {

AttentionBase attention_base(const AttentionView& view, const AttentionTiling& tiling,
                             const KernelHints& hints, KnownKernel known, const GpuSpec& gpu,
                             const BaseConstants& fitted) {
  if (known == KnownKernel::CollectorPrefill && !view.decode) return collector_prefill_base(view, gpu);
  if (known == KnownKernel::CollectorDecode && view.decode) return collector_decode_base(view, gpu);
  return view.decode ? decode_base(view, tiling, hints, gpu, fitted)
                     : prefill_base(view, tiling, hints, gpu, fitted);
}

}  // namespace warploom
