// The constants of the product model as training fits them: their table, and a table's values as
// GemmConstants.
#pragma once

#include <span>

#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/gemm/gemm_model.h"

namespace warploom {

// The constants of gemm_model.h, then of its power limit.
std::span<const ConstantSpec> gemm_constants();

GemmConstants gemm_constants_of(const BaseConstants& fitted);

}  // namespace warploom
