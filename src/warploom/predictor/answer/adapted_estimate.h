// The prediction for a GPU with a few rows: the sibling or cross estimate, plus the GPU's level (its mean
// residual), plus kriging of its rows (the residuals of the measured architectures are among the inputs),
// plus its own trees on the residuals that remain.
#pragma once

#include "warploom/predictor/answer/kernel_call.h"
#include "warploom/predictor/answer/loaded_family.h"
#include "warploom/predictor/answer/log_estimate.h"

namespace warploom {

// For the adapted GPU model.gpus[gpu_index]. `cell` is the GPU's own cell, or nullptr.
LogEstimate adapted_estimate(const LoadedFamily& family, std::size_t gpu_index, const CellRecord* cell,
                             const KernelCall& call, const OperatorFeatures& row);

}  // namespace warploom
