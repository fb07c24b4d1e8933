// FlashAttention 3 of decoding requests inside an engine's step on Hopper.
//
// Public tables time one call with a schedule made for it. vLLM replays a CUDA graph that holds the most
// splits it may need, and a small kernel before the pass shares the keys of all requests out over the SMs.
// So time grows evenly with keys, where the tables' grows by waves: 128 tasks on 132 SMs take 16 to 30 %
// longer than there, 256 to 1,024 tasks 2 to 11 % less.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"
#include "warploom/steps/step_rules.h"

namespace warploom {

// Changes `answer`, the tables' price of `op`, to the rule's time and interval; false, and nothing changes,
// where no rule knows the kernel, the shape and the GPU: bf16 with heads of its size and full attention. At
// sizes outside of the rule's the answer says so and widens with the distance.
bool price_decode_in_step(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                          const KernelContext& context, LatencyEstimate& answer);

}  // namespace warploom
