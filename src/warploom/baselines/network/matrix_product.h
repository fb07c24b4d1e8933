// Products of dense matrices of floats: what training a network spends its time on.
//
// Written here because Eigen is compiled for the oldest processor that the program runs on, which halves or
// quarters its speed; these choose their instructions when they run. Each element of a product is summed in
// the order of the inner index, with separate products and sums, so the bits do not depend on the
// instructions.
#pragma once

#include <cstddef>

#include "warploom/base/vector_unit.h"

namespace warploom::baselines {

// Element (i, j) stands at data[i * row_step + j * column_step].
struct MatrixView {
  const float* data = nullptr;
  std::size_t row_step = 0, column_step = 1;
};

// c = a b, with a of rows x inner, b of inner x columns and c of rows x columns; b and c row-major and
// without gaps. c overlaps neither a nor b. O(rows inner columns).
struct ProductShape {
  std::size_t rows = 0, inner = 0, columns = 0;
};
void multiply(const MatrixView& a, const float* b, float* c, const ProductShape& shape,
              VectorUnit unit = best_vector_unit());

// One implementation each.
namespace matrix_product {
using Multiply = void(const MatrixView& a, const float* b, float* c, const ProductShape& shape);
Multiply multiply_plain, multiply_avx2, multiply_avx512;
}  // namespace matrix_product

}  // namespace warploom::baselines
