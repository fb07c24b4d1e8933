// What only moves memory, as today's engines run it.
//
// Norms, activations, rotations and cache writes are in the measured data as kernels of 2023 that stream at a
// third of the memory's rate; those of FlashInfer, TensorRT-LLM and Inductor, which engines run now, were
// never swept. They stream at 0.8 of it (prefills of the shared static runs on H100 and A100 need no other
// constant then).
#pragma once

#include <optional>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"
#include "warploom/kernels/rule_price.h"

namespace warploom {

// RmsNorm, Activation, Rope and KvWrite.
bool only_streams(const Operator& op);

// A launch and the operands at that rate, in vLLM with constants of their own. Of tier measured on the GPU
// and in the release of vLLM that those were fitted on. Elsewhere with a wider interval and tier cross_gpu
// (roofline where `measured` is), and nothing where `measured`, the kernel that was swept, is faster.
std::optional<RulePrice> streaming_price(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                         const LatencyEstimate& measured);

}  // namespace warploom
