// For GPUs without rows of an operator's context.
//
//   sibling    ln base + mean over measured GPUs of the same architecture of (offset + trees) there: the
//              residual of the donor over its own base is taken as this GPU's residual
//   cross      ln base + offset of the class + shrunk trees of all GPUs; where a GPU of a cousin architecture
//              ran the same attention kernel, mostly the residual of that GPU
#pragma once

#include "warploom/predictor/answer/kernel_call.h"
#include "warploom/predictor/answer/loaded_family.h"
#include "warploom/predictor/answer/log_estimate.h"

namespace warploom {

// For a GPU without rows of this context; `row` holds the call's features. `hidden_gpu` of model.gpus (-1:
// none) gives nothing. `found`: the class that answers (nullptr: find_elsewhere). The index must find some
// cell of the family.
LogEstimate cross_estimate(const LoadedFamily& family, const KernelCall& call, const OperatorFeatures& row,
                           int hidden_gpu = -1, const CellIndex::Found* found = nullptr);

}  // namespace warploom
