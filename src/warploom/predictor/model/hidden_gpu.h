// What trees over all GPUs see in place of a GPU's own features.
#pragma once

#include <cstddef>
#include <span>

#include "warploom/kernels/operator.h"
#include "warploom/predictor/model/context_codes.h"

namespace warploom {

// What trees over all GPUs see of attention and experts in place of the kGpuFeatures features of the GPU,
// which tell a handful of GPUs apart and no other: the version of the library. `row` begins with `columns`
// features. Other families keep them.
void hide_gpu(Family family, std::span<float> row, std::size_t columns, const ContextCodes& codes);

}  // namespace warploom
