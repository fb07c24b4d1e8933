// What one rank's kernel of a mixture of experts was given in the public measurements.
#pragma once

#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/operator.h"

namespace warploom {

struct RankWorkload {
  RoutingLoad load;
  double tokens = 0;     // rows of hidden states
  double choices = 0;    // tokens times top-k, whoever holds the expert
  bool untuned = false;  // a Triton kernel without tuned tiles for this number of experts
};

// All tokens, and the pairs of the rank's experts. SGLang's Triton and Marlin kernels under expert
// parallelism were measured otherwise (aiconfigurator, collector/sglang/collect_moe.py): with the tokens
// alone that choose some expert of the rank, and with their other choices clamped to its first expert, which
// multiplies them all (its data of 0.5.10). Ranks of several run SGLang's Triton kernel untuned. Tokens are
// counted as if experts were chosen independently. O(1).
RankWorkload rank_workload(const FusedMoe& op, const RoutingLoad& load, const ContextKernel& kernel);

}  // namespace warploom
