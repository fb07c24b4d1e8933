// The operators of models that warploom-collect can time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/kernels/operator.h"
#include "warploom/models/architecture.h"

namespace warploom {

// Sizes of a step, as a grid of fixed ladders or drawn evenly in the logarithm.
struct StepSizes {
  std::vector<std::int64_t> tokens;                                // of dense operators
  std::vector<RequestGroup> prefill, decode;                       // requests of attention
  static StepSizes ladders();                                      // what sweeps measure
  static StepSizes drawn(std::size_t each, RandomStream& random);  // anything in between
};

// Products once for each scheme, everything else as the collector's kernels take it: bf16, full attention,
// balanced routing; a quantisation of each product's input beside it. Operators without such a form (MLA,
// linear attention, collectives) are left out. Sharded over 1, 2, 4 and 8 GPUs where the model allows; equal
// operators once, in order of discovery.
std::vector<Operator> sweep_candidates(std::span<const ModelArchitecture> models,
                                       std::span<const MatmulScheme> schemes, const StepSizes& sizes);

}  // namespace warploom
