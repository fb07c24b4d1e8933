// Four floats at a time, with what every processor has.
#include <algorithm>
#include <cstring>
#include <vector>

#include "warploom/baselines/network/matrix_product.h"

namespace warploom::baselines::matrix_product {

namespace {
#define WARPLOOM_LANES 4
#define WARPLOOM_TARGET
#include "warploom/baselines/network/matrix_product_lanes.inc"
}  // namespace

void multiply_plain(const MatrixView& a, const float* b, float* c, const ProductShape& shape) {
  multiply_lanes(a, b, c, shape);
}

#undef WARPLOOM_TARGET

}  // namespace warploom::baselines::matrix_product
