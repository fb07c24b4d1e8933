#include "warploom/predictor/known_kernel.h"

namespace warploom {

KnownKernel known_kernel(std::string_view kernel) {
  return kernel == "gemm_fp8" ? KnownKernel::BlockScaledFp8Hopper : KnownKernel::None;
}

bool describes(KnownKernel kernel, const Operator& op) {
  if (kernel != KnownKernel::BlockScaledFp8Hopper) return false;
  const auto* gemm = std::get_if<Gemm>(&op);
  return gemm != nullptr && weight_type(gemm->scheme) == DataType::Fp8 &&
         activation_type(gemm->scheme) == DataType::Fp8;
}

}  // namespace warploom
