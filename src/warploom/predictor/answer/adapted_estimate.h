// The tier of a GPU with a few rows: sibling or cross + level of the GPU + kriging of its rows, what each
// measured architecture says among its inputs, + its trees on what these leave.
#pragma once

#include "warploom/predictor/answer/loaded_family.h"
#include "warploom/predictor/answer/log_estimate.h"

namespace warploom {

// For an adapted GPU, number `gpu_index` of model.gpus; `cell` is its own or nullptr.
LogEstimate adapted_estimate(const LoadedFamily& family, std::size_t gpu_index, const CellRecord* cell,
                             const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                             std::uint32_t kind, ContextKernel kernel, const OperatorFeatures& row);

}  // namespace warploom
