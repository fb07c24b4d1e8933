// The measured tier: ln base + offset of the cell + trees of the GPU; with measured tables, ln base + the
// residual that is interpolated between measured neighbours.
#pragma once

#include "warploom/predictor/answer/loaded_family.h"
#include "warploom/predictor/answer/log_estimate.h"

namespace warploom {

// `cell` of family.model; `row` as compute_features left it, with the constants of the GPU, its base with the
// overhead of the cell. No allocation.
LogEstimate measured_estimate(const LoadedFamily& family, const CellRecord& cell,
                              const OperatorFeatures& row);

// From the family's measured tables, or its curves by size, where these answer, else measured_estimate.
LogEstimate interpolated_estimate(const LoadedFamily& family, const Operator& op, const CellRecord& cell,
                                  const OperatorFeatures& row);

// The same as measured_estimate for a cell with trees of its own, without what they add to log_p50.
LogEstimate measured_base(const LoadedFamily& family, const CellRecord& cell, const OperatorFeatures& row);

// What the cell's own trees add, for a new layer those of all the GPU's cells; 0 where there are none.
double own_trees(const LoadedFamily& family, const CellRecord& cell, const OperatorFeatures& row);

// The trees of `ensemble` over the whole row, the cell's context and `offset`, what was predicted before
// them.
double tree_sum(const LoadedFamily& family, int ensemble, const CellRecord& cell, double offset,
                OperatorFeatures row);

// The trees over all GPUs, which see `codes` in place of the GPU.
double cross_trees(const LoadedFamily& family, const CellRecord& cell, const ContextCodes& codes,
                   OperatorFeatures row);

}  // namespace warploom
