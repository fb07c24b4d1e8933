// log2 of many numbers, four or eight to an instruction.
#pragma once

#include <cstddef>

#include "warploom/base/vector_unit.h"

namespace warploom {

// In place; `values` must have room for a multiple of eight. Normal positive numbers: within 2e-7 of the
// larger of 1 and the result, powers of two exact. The same bits with every unit.
void log2_all(float* values, std::size_t count, VectorUnit unit = best_vector_unit());

}  // namespace warploom
