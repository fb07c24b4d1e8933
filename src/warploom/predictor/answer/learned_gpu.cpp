#include "warploom/predictor/answer/learned_gpu.h"

#include "warploom/kernels/gemm/gemm_constants.h"

namespace warploom {

const GemmModel* LearnedGpu::product(const Operator& op, const BaseConstants& fitted) const {
  const auto* gemm = std::get_if<Gemm>(&op);
  if (gemm == nullptr) return nullptr;
  Product& product = products_[std::size_t(gemm->scheme)];
  std::call_once(product.once, [&] {
    product.model = std::make_unique<const GemmModel>(gemm->scheme, *spec_, gemm_constants_of(fitted));
  });
  return product.model.get();
}

void LearnedGpu::compute(const Operator& op, const ContextKernel& kernel, const BaseConstants& fitted,
                         OperatorFeatures& row) const {
  std::call_once(once_, [&] { features_.emplace(*spec_); });
  compute_features(op, {*spec_, *features_, product(op, fitted)}, kernel, fitted, row);
}

}  // namespace warploom
