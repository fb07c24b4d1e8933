#include "warploom/tuner/internal/wave_lanes.h"

#include "warploom/base/vector_unit.h"
#include "warploom/tuner/internal/wave_lanes_loop.h"

namespace warploom {

void times_of_configs(const WaveLanes& columns, std::size_t size, float* out) {
  constexpr VectorVersions kVersions{lanes::times_of_configs<FourFloats>, lanes::times_of_configs_avx2,
                                     lanes::times_of_configs_avx2};
  kVersions.on(best_vector_unit())(columns, size, out);
}

void times_of_works(const WaveCoefficients<float>& coefficients, const float* const (&work)[kWorkColumns],
                    std::size_t size, float* out) {
  constexpr VectorVersions kVersions{lanes::times_of_works<FourFloats>, lanes::times_of_works_avx2,
                                     lanes::times_of_works_avx2};
  kVersions.on(best_vector_unit())(coefficients, work, size, out);
}

}  // namespace warploom
