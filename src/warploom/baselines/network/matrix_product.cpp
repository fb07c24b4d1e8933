#include "warploom/baselines/network/matrix_product.h"

namespace warploom::baselines {

void multiply(const MatrixView& a, const float* b, float* c, const ProductShape& shape, VectorUnit unit) {
  using namespace matrix_product;
  constexpr VectorVersions kVersions{multiply_plain, multiply_avx2, multiply_avx512};
  kVersions.on(unit)(a, b, c, shape);
}

}  // namespace warploom::baselines
