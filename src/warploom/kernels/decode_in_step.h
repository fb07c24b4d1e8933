// FlashAttention 3 of decoding requests inside a step of vLLM on Hopper.
//
// Public tables time one call with a schedule made for it. vLLM replays a CUDA graph that holds the most
// splits it may need, and a small kernel before the pass shares the keys of all requests out over the SMs.
// So time grows evenly with keys, where the tables' grows by waves: 128 tasks on 132 SMs take 16 to 30 %
// longer than there, 256 to 1,024 tasks 2 to 11 % less.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Whether the rule knows the kernel, the shape and the GPU; of bf16 with heads of 128 and full attention.
bool decodes_in_step(const Operator& op, const GpuSpec& gpu, const KernelContext& context);

// Puts the rule's time and interval into `answer`, the tables' price of `op`. Requires decodes_in_step.
// Outside of the sizes that the rule was fitted on the answer says so and widens with the distance; in
// another release of vLLM it is of tier cross_gpu at best.
void price_decode_in_step(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                          LatencyEstimate& answer);

}  // namespace warploom
