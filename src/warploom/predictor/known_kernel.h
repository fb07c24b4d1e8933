// Kernels whose source is public, so that tile, cluster and schedule need not be guessed. Their base time
// and features come from the exact structure instead of the family's general one.
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/operator.h"

namespace warploom {

enum class KnownKernel : std::uint8_t {
  None,
  // vLLM's block-scaled fp8 product for Hopper (CUTLASS): tiles of 128 x 128 x 128, clusters of two blocks
  // side by side along n, one persistent block per SM, tiles dealt in turn. "gemm_fp8" of PipeWeave's data,
  // whose rows show the even number of column tiles and the waves of whole clusters.
  BlockScaledFp8Hopper
};

// By the kernel name of a KernelContext; None for every other name.
KnownKernel known_kernel(std::string_view kernel);

// What a kernel context says of the implementation, read once per context.
struct ContextKernel {
  KnownKernel known = KnownKernel::None;
  KernelHints hints;

  ContextKernel() = default;
  ContextKernel(KnownKernel k) : known(k) {}
  explicit ContextKernel(const KernelContext& context)
      : known(known_kernel(context.kernel)), hints(kernel_hints(context)) {}
  friend bool operator==(const ContextKernel&, const ContextKernel&) = default;
};

// Whether the kernel's structure speaks for this operator.
bool describes(KnownKernel kernel, const Operator& op);

}  // namespace warploom
