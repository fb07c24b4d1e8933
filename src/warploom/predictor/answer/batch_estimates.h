// Many operators at once: those of one cell together, 64 rows to a block, the trees answering all of them.
#pragma once

#include <span>

#include "warploom/predictor/answer/estimate_one.h"

namespace warploom {

// Each operator's estimate, equal to the last bit to what it gets alone. Checks the operators. No allocation
// once the trees in use are decoded.
void estimate_many(const FamilyLookup& families, std::span<const Operator> operators, const GpuSpec& gpu,
                   const KernelContext& context, std::span<LatencyEstimate> results);

}  // namespace warploom
