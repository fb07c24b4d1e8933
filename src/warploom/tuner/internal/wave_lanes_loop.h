// The loops of wave_lanes.h for one width of vectors; included once by each file that compiles them.
#pragma once

#include "warploom/tuner/internal/lane_columns.h"

namespace warploom::lanes {

template <class T>
struct Works {
  T waves, iterations, first_touch, cold, read_mb, write_mb, hot_us, crossing;
};

template <class T, std::size_t kCount, class Out>
[[gnu::always_inline]] inline void load(const float* const (&columns)[kCount], std::size_t at, Out& out) {
  static_assert(sizeof(Out) == kCount * sizeof(T));
  T values[kCount];
  for (std::size_t k = 0; k < kCount; ++k) __builtin_memcpy(&values[k], columns[k] + at, sizeof(T));
  __builtin_memcpy(static_cast<void*>(&out), values, sizeof out);
}

template <class T>
[[gnu::always_inline]] inline void times_of_configs(const WaveLanes& columns, std::size_t size, float* out) {
  for (std::size_t i = 0; i < size; i += sizeof(T) / sizeof(float)) {
    WaveCoefficients<T> coefficients;
    Works<T> work;
    load<T>(columns.coefficients, i, coefficients);
    load<T>(columns.work, i, work);
    const T times = wave_time(coefficients, work);
    __builtin_memcpy(out + i, &times, sizeof times);
  }
}

template <class T>
[[gnu::always_inline]] inline void times_of_works(const WaveCoefficients<float>& one,
                                                  const float* const (&columns)[kWorkColumns],
                                                  std::size_t size, float* out) {
  float scalars[kCoefficientColumns];
  __builtin_memcpy(scalars, &one, sizeof scalars);
  T spread[kCoefficientColumns];
  for (std::size_t k = 0; k < kCoefficientColumns; ++k) spread[k] = T() + scalars[k];
  WaveCoefficients<T> coefficients;
  __builtin_memcpy(static_cast<void*>(&coefficients), spread, sizeof coefficients);
  for (std::size_t i = 0; i < size; i += sizeof(T) / sizeof(float)) {
    Works<T> work;
    load<T>(columns, i, work);
    const T times = wave_time(coefficients, work);
    __builtin_memcpy(out + i, &times, sizeof times);
  }
}

}  // namespace warploom::lanes
