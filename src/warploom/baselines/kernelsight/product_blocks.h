// How many blocks KernelSight-LM counts for a matrix product: the publication asks for a counter of each
// family and does not give one.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom::baselines {

struct ProductBlocks {
  double blocks = 1;     // output tiles times slices of the inner length
  double occupancy = 1;  // blocks that one SM holds at once: their buffered operands must fit
};

// The tile and the split whose whole waves take the fewest clocks, each block for itself: products or their
// operands, whichever is slower, a fixed cost of a step of the inner length and of a block. One set of
// constants for all GPUs, so that nothing of the target but its data sheet is used. O(tiles), no allocation.
// Throws Unsupported when the GPU cannot run the types.
ProductBlocks product_blocks(const Gemm& op, const GpuSpec& gpu);

}  // namespace warploom::baselines
