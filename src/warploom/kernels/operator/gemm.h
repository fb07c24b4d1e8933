// Matrix products.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// C[m,n] = A[m,k] B[k,n], `batch` independent products. Output bf16 (fp32 for Fp32 and Tf32).
struct Gemm {
  static constexpr std::array kNames{FamilyName{Family::Gemm, "gemm"}};
  static const OperatorFamily kFamily;

  MatmulScheme scheme = MatmulScheme::Bf16;
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t batch = 1;
  Residency residency = Residency::Cold;
  double weight_copies = 1;  // distinct weights a benchmark rotates through; matters only when Warm
  static FieldTable describe();
};

}  // namespace warploom
