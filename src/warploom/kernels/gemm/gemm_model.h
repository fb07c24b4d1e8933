// Time of a dense matrix product: the library picks the best of many tilings, so each is priced and the least
// taken. One model serves kernel profiles and the predictor's base.
//
//   for each tile (bm, bn) the architecture's kernels offer, and split s of the inner length:
//     steps = ceil(K / depth / s)                 depth: 128 bytes of an operand row
//     waves = ceil(ceil(M/bm) ceil(N/bn) s / SMs), less `tail` of the part of the last wave that is empty
//     feed  = (1 / (min(1, bm/128)^xm min(1, bn/128)^xn) - 1) * 2 bm bn depth in 2-byte operands / feed rate
//     loop  = steps * (2 bm bn depth / (rate * efficiency) + feed + step)
//     busy  = the same at the clock that the power limit sustains, over the waves that hold work
//     fixed = per_tile + epilogue * result bytes / 128, each wave; overlapped with the next tile on sm_100
//     tile  = (max(waves * loop, waves not rounded * busy) + fixed) / clock
//             + (s > 1: split + sums through L2)
//   memory = bytes by residency from DRAM or L2 (resident: a smooth step at `cache` of L2)
//   T = launch + (min(tile)^p + memory^p)^(1/p) + quantising pass of the activations
//
// Only products that fill the SMs meet the power limit (hardware/clock_under_load.h): a few tiles run at its
// light clock.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/gemm/gemm_tile_prices.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// "warp": operands pass through registers (mma.sync: all but Hopper and data-centre Blackwell). "async": read
// from shared or tensor memory (wgmma, tcgen05). "graphics": GDDR parts with one L2 partition (Ada, sm_120).
struct GemmConstants {
  // Share of the matrix rate that a large tile's loop reaches at the sustained clock.
  double warp_efficiency = 0.95, async_efficiency = 0.95;
  // What narrow tiles lose waits for operands, not for the matrix unit: clocks whatever its rate.
  double warp_row_exponent = 0.40, warp_column_exponent = 0.45;
  double async_row_exponent = 0.40, async_column_exponent = 0.45;
  double warp_feed = 1024, async_feed = 4096;  // bf16 operations per clock at which a tile is fed
  double step_clocks = 22;
  double launch_clocks = 1500, launch_seconds = 1.0e-6;
  double launch_trend = 0.05;  // shorter each year of launch after 2022
  double tile_clocks = 400;
  double async_epilogue = 1.7, warp_epilogue = 2.5;  // clocks per 32 16-bit results
  double epilogue_shown = 0.5;                       // of it that double-buffered results leave uncovered
  double tail = 0.4;
  double split_seconds = 2.5e-6;
  double dram_share = 0.85, dram_latency = 0.5e-6;
  double l2_bytes = 26, graphics_l2_bytes = 7;  // per clock per SM, all SMs reading
  double cache = 0.65, graphics_cache = 1.0;    // of L2, that keeps weights between launches
  double activation_cache = 0.65;
  double overlap = 2.6;
  PowerConstants power;
  double fp8_efficiency = 0.95, fp8_block_efficiency = 0.90, fp4_efficiency = 0.90;
  double int8_efficiency = 0.95, weight_only_efficiency = 0.85;
  double quantise_seconds = 2e-6, block_quantise_seconds = 2e-6;
  double quantise_share = 0.6;  // of bandwidth in the quantising pass
};

struct GemmPrice : GemmTilePrices {
  double seconds = 0;  // T
  double memory_seconds = 0, quantise_seconds = 0, launch_seconds = 0;
  double cold_share = 0;  // of the weights, read from DRAM
};

// The terms of one scheme on one GPU: about 150 ns to build, then `price` costs about 200 ns. No allocation.
// A type without its own rate runs at the next wider one; never throws.
class GemmModel {
 public:
  GemmModel(MatmulScheme scheme, const GpuSpec& gpu, const GemmConstants& constants = {});

  void price(const Gemm& op, GemmPrice& price) const;
  // From now on the inner length stays whole.
  void forbid_splits() { tiles_.may_split = false; }
  // Factor by which the power limit slows a product that fills the SMs; at least 1.
  double slowdown() const { return slowdown_; }
  double overlap() const { return overlap_; }  // p
  // Seconds of the tiles of a priced product over those where no SM idles in the last wave; at least 1.
  double balance(const Gemm& op, const GemmPrice& price) const;
  double input_bytes() const { return input_bytes_; }
  double weight_bytes() const { return weight_bytes_; }

 private:
  void price_memory(const Gemm& op, GemmPrice& price) const;

  GemmTileTerms tiles_;
  bool quantises_ = false;
  double input_bytes_, weight_bytes_, output_bytes_;
  double slowdown_ = 1, dram_rate_, cache_bytes_, activation_cache_bytes_;
  double memory_bandwidth_, dram_latency_, overlap_, launch_seconds_, quantise_seconds_, quantise_share_;
};

}  // namespace warploom
