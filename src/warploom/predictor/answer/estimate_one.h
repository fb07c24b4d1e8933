// One operator: which measured rows answer it, and the estimate that they give.
#pragma once

#include <memory>
#include <vector>

#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/predictor/answer/loaded_family.h"
#include "warploom/predictor/answer/log_estimate.h"

namespace warploom {

// Families by their number; nullptr where none was learned.
using FamilyLookup = std::vector<std::unique_ptr<LoadedFamily>>;

// Where a call of the kernel finds the operands that public rows may have found in L2.
constexpr Residency operands_of(const ContextKernel& kernel) {
  return kernel.hints.cold_operands ? Residency::Cold : Residency::Warm;
}

// p10, p50 and p90 from logarithms, held above the bound.
LatencyEstimate finish_estimate(const PhysicalBound& limit, const LogEstimate& answer, Tier tier);

// Half-width, ln, for a release of the engine that was asked for by name and is answered by the rows of
// another one; 0: it is not.
double doubt_of_version(const LoadedFamily& family, const CellIndex::Found& found,
                        const KernelContext& context);

// The rows that price an operator, no cell where it is physics alone, and what they say.
struct FoundAnswer {
  CellIndex::Found found{};
  LatencyEstimate estimate;
};

// One operator, checked by the caller.
FoundAnswer estimate_one(const FamilyLookup& families, const Operator& op, const GpuSpec& gpu,
                         const KernelContext& context);

}  // namespace warploom
