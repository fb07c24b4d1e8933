// Kernels whose source is public, so that tile, cluster and schedule need not be guessed. Their base time
// and features come from the exact structure instead of the family's general one.
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/operator.h"

namespace warploom {

enum class KnownKernel : std::uint8_t {
  None,
  // vLLM's block-scaled fp8 product for Hopper (CUTLASS): tiles of 128 x 128 x 128, clusters of two blocks
  // side by side along n, one persistent block per SM, tiles dealt in turn. "gemm_fp8" of PipeWeave's data,
  // whose rows show the even number of column tiles and the waves of whole clusters.
  BlockScaledFp8Hopper,
  // Builds of the fused mixture of experts. They differ in launches, in the height of row tiles, and in
  // whether buffers hold a row of every token's every choice or only of the pairs of this rank.
  MoeTriton,             // vLLM's and SGLang's grouped Triton kernel
  MoeCutlass,            // TensorRT-LLM's grouped CUTLASS products
  MoeFlashinferCutlass,  // the same as FlashInfer builds them
  MoeTrtllmGen,          // TensorRT-LLM's generated kernels, routing fused
  MoeMinLatency,
  MoeDeepGemm,
  MoeCuteDsl,
  MoeMarlin,  // weight-only
  MoeTrtllm,  // chosen inside TensorRT-LLM
  // The attention kernels of warploom-collect.
  CollectorPrefill,
  CollectorDecode
};

// By the kernel name of a KernelContext; None for every other name.
KnownKernel known_kernel(std::string_view kernel);

// The implementation that a kernel context names, read once per context.
struct ContextKernel {
  KnownKernel known = KnownKernel::None;
  KernelHints hints;
  // Spares a mixture of experts the tens of microseconds of its routing; null: computed anew. Must outlive
  // this.
  const RoutingCache* routing = nullptr;

  ContextKernel() = default;
  ContextKernel(KnownKernel k) : known(k) {}
  explicit ContextKernel(const KernelContext& context)
      : known(known_kernel(context.kernel)), hints(kernel_hints(context)) {}
  friend bool operator==(const ContextKernel&, const ContextKernel&) = default;

  // The kernel as an engine calls it, without what a collector did otherwise, unless rows are asked for.
  ContextKernel asked_as(bool as_collected) const {
    ContextKernel kernel = *this;
    kernel.hints.clamps_remote_choices = hints.clamps_remote_choices && as_collected;
    kernel.hints.cold_operands = hints.timed_warm && !as_collected;
    return kernel;
  }
  // The same for a question that `other` was asked in.
  ContextKernel asked_like(const ContextKernel& other) const {
    ContextKernel kernel = asked_as(other.hints.clamps_remote_choices);
    kernel.hints.cold_operands = hints.timed_warm && other.hints.cold_operands;
    return kernel;
  }
};

// Whether the kernel's structure is known for this operator.
bool describes(KnownKernel kernel, const Operator& op);

// A number below 32 of what runs where a context is asked of a GPU: the kernel in attention's decode (other
// sources under one name), the build elsewhere. In prefill trees also know which versions were throttled,
// whatever the kernel.
unsigned source_code(Family family, const ContextKernel& kernel, const GpuSpec& gpu);

}  // namespace warploom
