// Fitted constants of the mixture of experts: shared ones, then factors by kernel build, then by scheme.
#pragma once

#include <cstddef>

#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/data_type.h"
#include "warploom/kernels/known_kernel.h"

namespace warploom {

// Values of one build and scheme.
struct MoeConstants {
  double launch_cycles;    // of all launches, in clocks of the GPU
  double rate_share;       // of the sustained matrix rate, tall tiles
  double dram_share;       // of peak bandwidth
  double feed_bytes;       // operands into one SM, bytes per clock
  double step_cycles;      // per element of inner length, whatever the tile
  double prologue_cycles;  // of a tile
  double half_rows;        // height of tile with half the rate
  double wave_rounding;    // 0: partial waves cost their share, 1: as much as full ones
  double resident_share;   // of L2 that keeps weights from call to call
  double l2_bytes;         // read from L2, bytes per clock per SM
  double pair_hidden;      // passes over a pair's hidden row
  double pair_width;       // over its intermediate row
  double token_hidden;     // over a token's hidden row
  double choice_hidden;    // over the hidden row of each of a token's choices, on whatever rank
  double choice_width;     // over its intermediate row
  double chain_cycles;     // of a tile alone on its SM waiting for operands, per element of inner length
  double stream_bytes;     // of weights on their way into one SM, bytes per clock
  double spread_bytes;     // of activations moved from or to DRAM by one SM, bytes per clock
  double stacked_dram;     // of peak bandwidth, stacked memory (HBM) against GDDR
};

MoeConstants moe_constants_of(KnownKernel kernel, MatmulScheme scheme, const BaseConstants& fitted);

}  // namespace warploom
