// Four single-precision numbers that one instruction works on: the candidates of a look-up side by side.
#pragma once

#include <cmath>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace warploom {

using FourFloats = float __attribute__((vector_size(16)));
using FourInts = int __attribute__((vector_size(16)));

[[gnu::always_inline]] inline FourFloats square_root(FourFloats value) {
#if defined(__SSE2__)
  return _mm_sqrt_ps(value);
#else
  return FourFloats{std::sqrt(value[0]), std::sqrt(value[1]), std::sqrt(value[2]), std::sqrt(value[3])};
#endif
}

[[gnu::always_inline]] inline float square_root(float value) { return std::sqrt(value); }
[[gnu::always_inline]] inline double square_root(double value) { return std::sqrt(value); }

// Towards zero; values within (-2^31, 2^31). Vectorisable.
[[gnu::always_inline]] inline float truncated(float value) {
  return static_cast<float>(static_cast<int>(value));
}
[[gnu::always_inline]] inline double truncated(double value) {
  return static_cast<double>(static_cast<int>(value));
}
[[gnu::always_inline]] inline FourFloats truncated(FourFloats value) {
  return __builtin_convertvector(__builtin_convertvector(value, FourInts), FourFloats);
}

// out[k] = {rows[0][k], rows[1][k], rows[2][k], rows[3][k]} for k = 0 .. 3.
[[gnu::always_inline]] inline void transpose(const float* const (&rows)[4], FourFloats* out) {
  FourFloats row[4];
  for (int i = 0; i < 4; ++i) __builtin_memcpy(&row[i], rows[i], sizeof row[i]);
  const FourFloats low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const FourFloats low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const FourFloats high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const FourFloats high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  out[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  out[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  out[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

}  // namespace warploom
