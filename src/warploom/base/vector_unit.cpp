#include "warploom/base/vector_unit.h"

namespace warploom {

bool has_vector_unit(VectorUnit unit) {
#if defined(__x86_64__)
  switch (unit) {
    case VectorUnit::Avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case VectorUnit::Avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vbmi") != 0;
    case VectorUnit::Plain:
      return true;
  }
#endif
  return unit == VectorUnit::Plain;
}

VectorUnit best_vector_unit() {
  static const VectorUnit best = [] {
    if (has_vector_unit(VectorUnit::Avx512)) return VectorUnit::Avx512;
    return has_vector_unit(VectorUnit::Avx2) ? VectorUnit::Avx2 : VectorUnit::Plain;
  }();
  return best;
}

}  // namespace warploom
