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

// The time of a product whose row holds `passes`, without them: no nearer to the bound than any product that
// was timed alone, since a pass that was timed by itself may be longer than the one in the row.
Seconds without_passes(const LatencyEstimate& row, Seconds passes);

// What the kernels before `product` take longer, because they quantise what they write.
Seconds fused_quantising(const Gemm& product, const GpuSpec& gpu);

// Takes the passes of the table off `answer` and adds the fused ones; `pass` is one of the table's. The
// interval keeps its shape, and holds that nothing stays, and that twice as much does; on other GPUs, in
// other releases and at other sizes than the fit's also that the row stays as it is.
void fuse_quantising(const Gemm& product, const GpuSpec& gpu, const KernelContext& context, Seconds pass,
                     LatencyEstimate& answer);

// With static scales. A product that a row with dynamic ones stands in for has lost one pass
// (predictor/answer/known_scales.h); this takes the other off.
void drop_other_pass(Seconds pass, LatencyEstimate& answer);
// Quantising with static scales does less than with dynamic ones, `dynamic`, so it takes no longer.
void bound_by_dynamic(const LatencyEstimate& dynamic, LatencyEstimate& answer);
// Quantising with static scales, of which `answer` is a kernel of its own, is at most what the kernels before
// a product take longer when they also find the scales.
void fuse_static_quantising(const Quantize& pass, const GpuSpec& gpu, LatencyEstimate& answer);

}  // namespace warploom
