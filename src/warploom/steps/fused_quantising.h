// What quantising the activations of an fp8 product costs inside an engine's step, against a measured table.
//
// With dynamic scales a measured row of a product holds two passes over its activations: one finds the scale,
// one writes the fp8 values; the tables' own `quantize` rows hold the second alone. In a step Inductor lets
// the norm or the activation before the product do both while it has the row at hand, and writes a small
// kernel where no other stands before the product (the output of attention). With scales by blocks a measured
// row holds one pass, and newer engines have kernels of their own that do it with a norm or an activation.
#pragma once

#include <optional>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"
#include "warploom/steps/step_rule.h"

namespace warploom {

// By which rule a measured row of `product` loses its passes; nothing where it holds none.
std::optional<RuleKind> quantising_of(const Gemm& product);

// What the kernels before `product` take longer, because they quantise what they write. A row is one block's,
// which looks through it for the largest value before it writes; many rows are held up by arithmetic, where
// the kernels that they stand in for would move so many bytes an element. Scaled by blocks, kernels of their
// own take both, one after the other.
Seconds fused_quantising(const QuantisingConstants& rule, const Gemm& product, const GpuSpec& gpu);

// The passes of a measured row, each of which takes `pass`; the second is launched while the first runs.
Seconds held_passes(const QuantisingConstants& rule, Seconds pass);

// Takes the passes of the table off `answer` and adds the fused ones; `pass` is one of the table's. The
// interval keeps its shape, and holds that nothing stays, and that twice as much does; where the rule was not
// fitted also that the row stays as it is. `use` is of quantising_of(product).
void fuse_quantising(const RuleUse& use, const Gemm& product, const GpuSpec& gpu, Seconds pass,
                     LatencyEstimate& answer);

// With static scales, `use` is of RuleKind::Quantising. A product that a row with dynamic ones stands in for
// has lost one pass (predictor/answer/known_scales.h); this takes the other off.
void drop_other_pass(const RuleUse& use, Seconds pass, LatencyEstimate& answer);
// Quantising with static scales does less than with dynamic ones, `dynamic`, so it takes no longer.
void bound_by_dynamic(const LatencyEstimate& dynamic, LatencyEstimate& answer);
// Quantising with static scales, of which `answer` is a kernel of its own, is at most what the kernels before
// a product take longer when they also find the scales.
void fuse_static_quantising(const RuleUse& use, const Quantize& pass, const GpuSpec& gpu,
                            LatencyEstimate& answer);

}  // namespace warploom
