// What only moves memory, as today's engines run it.
//
// Norms, activations, rotations and cache writes are in the measured data as kernels of 2023 that stream at
// a third of the memory's rate; those of FlashInfer, TensorRT-LLM and Inductor, which engines run now, were
// never swept. data/steps holds a launch and a share of the memory's rate for any engine, and those of
// engines whose steps were profiled.
#pragma once

#include <optional>

#include "warploom/kernels/operator.h"
#include "warploom/kernels/rule_price.h"
#include "warploom/steps/step_rules.h"

namespace warploom {

// RmsNorm, Activation, Rope and KvWrite.
bool only_streams(const Operator& op);

// A launch and the operands at that rate, of tier measured where the rule was fitted. Elsewhere with a
// wider interval and tier cross_gpu (roofline where `measured` is), and nothing where `measured`, the
// kernel that was swept, is faster.
std::optional<RulePrice> streaming_price(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                                         const KernelContext& context, const LatencyEstimate& measured);

}  // namespace warploom
