// Products whose scales are known beforehand, from measured calls that work their scales out.
//
// The engines' calls in fp8 quantise what they multiply. With dynamic scales that is a pass over the inputs
// (three kernels in TensorRT-LLM: 8.5 us for any few tokens, more than many a product), and the measured rows
// hold it. With static scales it is a kernel of its own (a Quantize of the graph) or part of the kernel before.
#pragma once

#include "warploom/predictor/answer/estimate_one.h"

namespace warploom {

// Takes the pass off an answer for a product with static scales that a row with dynamic ones gave, as far as the
// pass itself was measured of that engine. `answer` stays at or above its physical bound.
void take_off_scaling(const FamilyLookup& families, const Operator& op, const GpuSpec& gpu, FoundAnswer& answer);

}  // namespace warploom
