// Which vector instructions this processor has, and the one way to choose between versions of a function.
#pragma once

namespace warploom {

// Instructions to use. Results do not depend on it.
enum class VectorUnit { Plain, Avx2, Avx512 };  // Avx512 includes the byte permutes (VBMI)
bool has_vector_unit(VectorUnit unit);
VectorUnit best_vector_unit();

// One function compiled for several sets of instructions; all versions give the same result.
template <class Function>
struct VectorVersions {
  Function* plain;
  Function* avx2;
  Function* avx512;

  // The caller makes sure that the processor has the unit (best_vector_unit, has_vector_unit).
  constexpr Function* on(VectorUnit unit) const {
    switch (unit) {
      case VectorUnit::Avx512:
        return avx512;
      case VectorUnit::Avx2:
        return avx2;
      case VectorUnit::Plain:
        return plain;
    }
    return plain;
  }
};
template <class Function>
VectorVersions(Function*, Function*, Function*) -> VectorVersions<Function>;

}  // namespace warploom
