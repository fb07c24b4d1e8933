#include "warploom/tuner/internal/wave_lanes.h"

#include "warploom/tuner/internal/wave_lanes_loop.h"

namespace warploom {
namespace {

bool has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace

void times_of_configs(const WaveLanes& columns, std::size_t size, float* out) {
  if (has_avx2()) return lanes::times_of_configs_avx2(columns, size, out);
  lanes::times_of_configs<FourFloats>(columns, size, out);
}

void times_of_works(const WaveCoefficients<float>& coefficients, const float* const (&work)[kWorkColumns],
                    std::size_t size, float* out) {
  if (has_avx2()) return lanes::times_of_works_avx2(coefficients, work, size, out);
  lanes::times_of_works<FourFloats>(coefficients, work, size, out);
}

}  // namespace warploom
