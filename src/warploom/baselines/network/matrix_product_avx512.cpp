// Sixteen floats at a time.
#include <algorithm>
#include <cstring>
#include <vector>

#include "warploom/baselines/network/matrix_product.h"

namespace warploom::baselines::matrix_product {

#if defined(__x86_64__)

namespace {
#define WARPLOOM_LANES 16
#define WARPLOOM_TARGET __attribute__((target("avx512f")))
#include "warploom/baselines/network/matrix_product_lanes.inc"
}  // namespace

WARPLOOM_TARGET void multiply_avx512(const MatrixView& a, const float* b, float* c,
                                     const ProductShape& shape) {
  multiply_lanes(a, b, c, shape);
}
#undef WARPLOOM_TARGET

#else

void multiply_avx512(const MatrixView& a, const float* b, float* c, const ProductShape& shape) {
  multiply_plain(a, b, c, shape);
}

#endif

}  // namespace warploom::baselines::matrix_product
