// The structural time of a call in parts: the one model of a kernel. The predictor learns the logarithm of
// (latency / seconds), profiles count tiles and traffic by its choices, and predict shows it.
//
//   seconds = launch + passes + (compute^overlap + memory^overlap)^(1/overlap) + network
// Each family has an overlap of its own (gemm/gemm_model.h, gemm/block_scaled_hopper.h,
// attention/attention_base.h, attention/mla_module_base.h, moe/moe_base.h, rows/row_base.h). Parts of zero do
// not exist in the family.
#pragma once

#include "warploom/kernels/attention_view.h"
#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/kernels/known_kernel.h"

namespace warploom {

struct StructuralPrice {
  double seconds = 0;
  double launch = 0;   // of all launches of the call
  double passes = 0;   // beside the kernel: quantising, cache writes, projections, rows of experts moved
  double compute = 0;  // tiles in waves over the SMs
  double memory = 0;   // bytes by residency from DRAM or L2
  double network = 0;
  double overlap = 1;  // 1: compute and memory follow each other; infinite: the longer hides the other
  double balance = 1;  // compute / the same work spread evenly over the SMs; at least 1
  double again = 0;    // share of `memory` that moves bytes another time; in [0, 1)
  // Size of the kernel's tile; 0 without tiles.
  double tile_rows = 0, tile_columns = 0;
  double splits = 1;        // of the inner length or of a cache
  double tasks = 0;         // blocks; 0 where the family does not count them
  double waves = 0;         // tasks / SMs (clusters of SMs), not rounded
  double network_rate = 0;  // of the narrowest path of a collective, B/s
  double resident = 0;      // share of weights or operands that rest in L2

  // The sum of the parts: `seconds`, or what it would be where a caller has changed some of them.
  double sum_of_parts() const;
};

// `fitted`: of the operator's family, from a trained model or default_constants(). The routing of a FusedMoe
// comes from kernel.routing or is computed. Expects a checked operator; throws nothing of its own.
StructuralPrice structural_price(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                                 const BaseConstants& fitted);

// The price of the family's kernel alone, for callers that need its own parts too.
StructuralPrice structural_price(const Gemm& op, const GpuSpec& gpu, const GemmModel& model);
// The price of one kernel of attention.
StructuralPrice attention_price(const AttentionView& view, KnownKernel known, const GpuSpec& gpu,
                                const KernelHints& hints, const BaseConstants& fitted);

}  // namespace warploom
