// Structural time of vLLM's block-scaled fp8 product on Hopper (KnownKernel::BlockScaledFp8Hopper): whole
// waves of two-block clusters, each step of a tile bounded by the matrix unit, the scaling of its sums on the
// plain cores, and the L2 cache that feeds all SMs.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

inline constexpr std::int64_t kBlockScaledTile = 128;  // rows, columns and inner length of a step
inline constexpr std::int64_t kBlockScaledClusterColumns = 2 * kBlockScaledTile;

// Seconds, counts and bytes.
struct BlockScaledHopperBase {
  double row_tiles = 0, column_pairs = 0, steps = 0;  // of the inner length
  double rounds = 0, waves = 0;                       // clusters per pair of SMs; whole rounds
  double busy = 0;                                    // share of the SM pairs in the first round
  double seconds = 0, launch = 0, compute = 0, memory = 0;
  double step = 0, math = 0, feed = 0;  // of one step: with scaling, products alone, operands from L2
  double inputs = 0, weights = 0, outputs = 0;
  double overlap = 1, again = 0;  // power of the sum with DRAM; share of its bytes read another time
};

// Expects a product that `describes` (known_kernel.h) accepts. O(1).
BlockScaledHopperBase block_scaled_hopper_base(const Gemm& op, const GpuSpec& gpu,
                                               const BaseConstants& fitted);
// These stand behind those of gemm_constants() in the family's table.
std::span<const ConstantSpec> block_scaled_hopper_constants();

}  // namespace warploom
