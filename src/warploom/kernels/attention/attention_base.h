// The structural time of softmax attention: launch, cache write, and the tiles' schedule against memory.
//
// Both forms follow the kernel's own tile rules (attention_tiling.h); what the rules leave open is in
// tables of constants that training fits (base_constants.h).
#pragma once

#include <span>

#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/constant_spec.h"

namespace warploom {

struct AttentionBase {
  double seconds = 0;                                     // launch + write + norm of compute and memory
  double launch = 0, write = 0, compute = 0, memory = 0;  // seconds
  double tasks = 1;                                       // blocks, after splitting keys
  double longest = 0;                                     // seconds of the longest block
  double steps = 1;                                       // mean steps of a block
  double splits = 1;                                      // parts of one cache
  double resident = 0;                                    // share of operands that rest in L2
  double overlap = 1;                                     // power of the sum of compute and memory
  double balance = 1;                                     // compute / evenly spread over the SMs
  // The same where the cache comes from memory (KernelHints::cold_operands); 0: the kernel does not tell.
  double cold_seconds = 0, cold_memory = 0;
};

// Prompts: makespan = max(load of an SM, longest block) + tail, in clocks of
//   step = products / rate * share + exponentials + overhead, by design of the kernel.
// Expects a checked view with view.decode unset. O(groups of requests), no allocation.
AttentionBase prefill_base(const AttentionView& view, const AttentionTiling& tiling, const KernelHints& hints,
                           const GpuSpec& gpu, const BaseConstants& fitted);
std::span<const ConstantSpec> prefill_base_constants();

// Single tokens: the longest chain of steps against the load of an SM, under split keys.
AttentionBase decode_base(const AttentionView& view, const AttentionTiling& tiling, const KernelHints& hints,
                          const GpuSpec& gpu, const BaseConstants& fitted);
std::span<const ConstantSpec> decode_base_constants();

}  // namespace warploom
