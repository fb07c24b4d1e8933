// The wave model's times of many configurations, or of many shapes, with the widest vectors there are.
// Results do not depend on the instructions used.
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
// out[i] in us for i < size; `out` too has room for whole lanes.
void times_of_configs(const WaveLanes& columns, std::size_t size, float* out);
// The same of one configuration.
void times_of_works(const WaveCoefficients<float>& coefficients, const float* const (&work)[kWorkColumns],
                    std::size_t size, float* out);

namespace lanes {
// With AVX2; only where the processor has it.
void times_of_configs_avx2(const WaveLanes& columns, std::size_t size, float* out);
void times_of_works_avx2(const WaveCoefficients<float>& coefficients,
                         const float* const (&work)[kWorkColumns], std::size_t size, float* out);
}  // namespace lanes

}  // namespace warploom
