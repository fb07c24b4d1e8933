// Structural time of a fused mixture of experts: the base of its learner.
//
//   time = launches + max3(products, weights) + pairs moved + choices moved
//   products  least over heights of row tiles (Marlin: the height its rule picks) of the two grouped
//             products, tiles of 128 columns in waves over the SMs, rows padded per expert as the routing
//             leaves them
//   weights   of the experts hit, from DRAM or, as far as they fit, from L2
//   moved     activations: rows of this rank's pairs, and rows of every token's every choice, which some
//             kernels keep although other ranks hold the experts
// A tile alone on its SM waits for its operands, whatever the rate; beyond L2 both weights and activations
// move at no more than an SM can have on its way. One pass alone has a fifth of the launches. max3 = (a^3 +
// b^3)^(1/3). Constants are shared, times a factor of the kernel's build and one of the scheme.
#pragma once

#include <array>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/moe/rank_workload.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/operator.h"

namespace warploom {

inline constexpr double kMoeOverlap = 3;  // power of the sum of products and weights

// Row-tile heights that are priced.
inline constexpr std::array<double, 4> kMoeHeights{16, 32, 64, 128};

struct MoeSizes {
  double gate_outputs, down_outputs;  // columns of the two products on this GPU; 0: not run
  double width;                       // inner length of the second
  double expert_weights;              // elements of one expert on this GPU
  double weight_bytes;                // of the experts hit
  double held;                        // experts on this GPU
};
MoeSizes moe_sizes(const FusedMoe& op, const RoutingLoad& load);

// Seconds.
struct MoeBase {
  double total = 0, launch = 0, products = 0, weights = 0, pairs_moved = 0, choices_moved = 0;
  std::array<double, kMoeHeights.size()> by_height{};  // products with each height
  double tile_rows = 0, tile_columns = 0;              // of the tile that `products` is priced with
  double balance = 1;                                  // products / the same tiles spread evenly over the SMs
  double cold_total = 0, cold_weights = 0;             // where all weights come from memory
};

// `sustained`: sustained_rate_share of the GPU. `kernel` outside the Moe builds: no factor of a build. No
// allocation, about 100 ns.
MoeBase moe_base(const FusedMoe& op, const GpuSpec& gpu, KnownKernel kernel, const RankWorkload& work,
                 const MoeSizes& sizes, double sustained, const BaseConstants& fitted);

}  // namespace warploom
