// What quantising the activations of an fp8 product costs inside vLLM's step, against a measured table.
//
// With dynamic scales a measured row of a product holds two passes over its activations: one finds the scale,
// one writes the fp8 values; the tables' own `quantize` rows hold the second alone. In a step Inductor lets
// the norm or the activation before the product do both while it has the row at hand, and writes a small
// kernel where no other stands before the product (the output of attention).
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Whether a measured row of `product` holds those passes.
bool holds_quantising(const Gemm& product);

// What the kernels before `product` take longer, because they quantise what they write.
Seconds fused_quantising(const Gemm& product, const GpuSpec& gpu);

// Takes the passes of the table off `answer` and adds the fused ones; `pass` is one of the table's. The
// interval keeps its shape, and holds that nothing stays, and that twice as much does.
void fuse_quantising(const Gemm& product, const GpuSpec& gpu, Seconds pass, LatencyEstimate& answer);

}  // namespace warploom
