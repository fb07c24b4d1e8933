// What a collective takes in an engine beyond the measured tables.
//
// nccl-tests runs all GPUs from one process, so its ranks begin together. An engine has a process for each
// GPU, whose graphs replay on their own, so the first rank waits for the last.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"
#include "warploom/steps/step_rules.h"

namespace warploom {

// Lengthens `answer`, the measured time of a collective, by that wait, and its interval by as much: where no
// wait was measured, the interval also holds that there is none, and that it is twice as long. Returns
// whether there is one: a library's kernels wait, and small all-reduces by an engine's own kernel, which
// `context` then names.
bool wait_for_ranks(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                    const KernelContext& context, LatencyEstimate& answer);

}  // namespace warploom
