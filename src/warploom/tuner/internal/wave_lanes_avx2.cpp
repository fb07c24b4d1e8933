// Eight values at a time. The standard library comes first, for the instructions that every processor has:
// only what is compiled below the pragma may use AVX2.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "warploom/tuner/four_floats.h"
#include "warploom/tuner/tile_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace warploom {

using EightFloats = float __attribute__((vector_size(32)));
using EightInts = int __attribute__((vector_size(32)));

[[gnu::always_inline]] inline EightFloats square_root(EightFloats value) { return _mm256_sqrt_ps(value); }
[[gnu::always_inline]] inline EightFloats truncated(EightFloats value) {
  return __builtin_convertvector(__builtin_convertvector(value, EightInts), EightFloats);
}

}  // namespace warploom

#include "warploom/tuner/internal/wave_lanes.h"
#include "warploom/tuner/internal/wave_lanes_loop.h"

namespace warploom::lanes {

void times_of_configs_avx2(const WaveLanes& columns, std::size_t size, float* out) {
  times_of_configs<EightFloats>(columns, size, out);
}
void times_of_works_avx2(const WaveCoefficients<float>& coefficients,
                         const float* const (&work)[kWorkColumns], std::size_t size, float* out) {
  times_of_works<EightFloats>(coefficients, work, size, out);
}

}  // namespace warploom::lanes
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#else
#include "warploom/tuner/internal/wave_lanes.h"

namespace warploom::lanes {

void times_of_configs_avx2(const WaveLanes&, std::size_t, float*) {}
void times_of_works_avx2(const WaveCoefficients<float>&, const float* const (&)[kWorkColumns], std::size_t,
                         float*) {}

}  // namespace warploom::lanes
#endif
