// Structural time of the MLA module: projections and latent attention together, as some engines measure it.
//
//   seconds = launch + (compute^3 + (memory / share)^3)^(1/3) + projections
//   prefill multiplies expanded heads, decode absorbs them into the latent keys (one tile of 64 heads a task)
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

inline constexpr double kMlaModuleOverlap = 3;  // power of the sums of compute and memory

struct MlaModuleBase {
  double seconds = 0, launch = 0;
  double compute = 0;                                     // of the attention, seconds
  double memory = 0;                                      // its bytes at DRAM's peak, seconds
  double streamed = 0;                                    // the same at the share of it that is reached
  double balance = 1;                                     // compute / evenly spread over the SMs
  double projections = 0;                                 // of the products around it, seconds
  double flop = 0, bytes = 0, tasks = 0, iterations = 0;  // of the attention
  double weights = 0;                                     // elements of the projections
  // Sums over the requests of the batch.
  double requests = 0, queries = 0, pairs = 0, keys = 0, longest_keys = 0;
};

// Expects a checked operator. O(groups of requests), no allocation.
MlaModuleBase mla_module_base(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted);

}  // namespace warploom
