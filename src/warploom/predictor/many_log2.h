// log2 of many numbers, four to an instruction.
#pragma once

#include <cstddef>

namespace warploom {

// In place; `values` must have room for a multiple of four. Normal positive numbers: within 2e-7 of the
// larger of 1 and the result, powers of two exact. The same bits on every processor.
void log2_all(float* values, std::size_t count);

}  // namespace warploom
