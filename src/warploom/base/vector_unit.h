// Which vector instructions this processor has.
#pragma once

namespace warploom {

// Instructions to use. Results do not depend on it.
enum class VectorUnit { Plain, Avx2, Avx512 };  // Avx512 includes the byte permutes (VBMI)
bool has_vector_unit(VectorUnit unit);
VectorUnit best_vector_unit();

}  // namespace warploom
