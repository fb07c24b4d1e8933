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

// The operators of every model and every sharding over 1, 2, 4 and 8 GPUs that it allows, `steps` steps of
// each kind (dense, prefill, decode) at sizes drawn evenly in the logarithm: sizes on a common ladder leave
// what lies between them unlearned. Products once for each scheme, everything else as the collector's kernels
// take it: bf16, full attention, balanced routing; a quantisation of each product's input beside it.
// Operators without such a form (MLA, linear attention) are left out; equal operators come once, in order of
// discovery.
std::vector<Operator> sweep_candidates(std::span<const ModelArchitecture> models,
                                       std::span<const MatmulScheme> schemes, std::size_t steps,
                                       RandomStream& random);

// Collectives of every kind over 2, 4, ... of `gpus` GPUs, `each` buffers from 1 KiB to 1 GiB drawn likewise.
std::vector<Operator> collective_candidates(std::int64_t gpus, std::size_t each, RandomStream& random);

}  // namespace warploom
