// What vLLM runs on the GPU between two passes of the model: about 25 small kernels that make the inputs of a
// step, the conversion of the logits to fp32, and the choice of each token.
//
// None of them was ever swept. Inside steps of three models on an H200 their sum is a line in the number of
// logits (`tools/engine_truth/sampling.py`); steps on an H100, whose memory is a third slower, lie on the
// same line: these kernels wait for instructions, not for memory.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"
#include "warploom/kernels/rule_price.h"

namespace warploom {

// Whether the rule is of this operator: a choice among a model's words, not among its experts.
bool is_step_sampling(const Operator& op);

// The sum of those kernels. p10 and p90 are those of steps that the line was not fitted to, twice the error
// on GPUs and in releases of vLLM that had none; tier measured where it was fitted, else cross_gpu.
RulePrice step_sampling_price(const Operator& op, const GpuSpec& gpu, const KernelContext& context = {});

}  // namespace warploom
