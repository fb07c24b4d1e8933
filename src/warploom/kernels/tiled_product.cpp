#include "warploom/kernels/tiled_product.h"

#include "warploom/base/divide_up.h"
#include "warploom/kernels/precision_support.h"

namespace warploom {

TiledProduct tiled_product(const Gemm& op, const GpuSpec& gpu) {
  const MatrixUnit unit = matrix_unit(op.scheme, gpu);
  TiledProduct product;
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i) {
    product.row_tiles[i] = double(divide_up(op.m, kRowBlocks[i])) * double(op.batch);
  }
  product.n = double(op.n);
  product.k = double(op.k);
  product.rows = double(op.m) * double(op.batch);
  product.activation_bytes = unit.weight_only ? 2.0 : bytes_per_element(activation_type(op.scheme));
  product.weight_bytes = bytes_per_element(weight_type(op.scheme));
  product.output_bytes = op.scheme == MatmulScheme::Fp32 || op.scheme == MatmulScheme::Tf32 ? 4 : 2;
  return product;
}

}  // namespace warploom
