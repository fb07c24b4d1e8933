// Many operators at once: those of one cell together, 64 rows to a block, the trees answering all of them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/predictor/loaded_family.h"
#include "warploom/predictor/tier_estimates.h"

namespace warploom {

// Families by their number; nullptr where none was learned.
using FamilyLookup = std::vector<std::unique_ptr<LoadedFamily>>;

// p10, p50 and p90 from logarithms, held above the bound.
LatencyEstimate finish_estimate(const PhysicalBound& limit, const LogEstimate& answer, Tier tier);

// One operator, checked by the caller.
LatencyEstimate estimate_one(const FamilyLookup& families, const Operator& op, const GpuSpec& gpu,
                             const KernelContext& context);

// Each operator's estimate, equal to the last bit to what it gets alone. Checks the operators. No allocation
// once the trees in use are decoded.
void estimate_many(const FamilyLookup& families, std::span<const Operator> operators, const GpuSpec& gpu,
                   const KernelContext& context, std::span<LatencyEstimate> results);

}  // namespace warploom
