// Coefficients and works of many times as columns, which vectors of any width read.
#pragma once

#include <cstddef>

#include "warploom/tuner/tile_kernel.h"
#include "warploom/tuner/wave_time.h"

namespace warploom {

inline constexpr std::size_t kCoefficientColumns = sizeof(WaveCoefficients<float>) / sizeof(float);
inline constexpr std::size_t kWorkColumns = sizeof(TileWork) / sizeof(float);
// Columns are filled up to a multiple of this many values, with any that are numbers.
inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t whole_lanes(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

struct WaveLanes {
  const float* coefficients[kCoefficientColumns];
  const float* work[kWorkColumns];
};

}  // namespace warploom
