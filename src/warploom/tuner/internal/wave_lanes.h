// The wave model's times of many configurations, or of many shapes, with the widest vectors there are.
// Results do not depend on the instructions used.
#pragma once

#include <cstddef>

#include "warploom/tuner/internal/lane_columns.h"

namespace warploom {

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
