// Normalisation of rows.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Row-wise normalisation of [tokens, width]; residual = the fused residual add (reads and writes one more
// tensor).
struct RmsNorm {
  static constexpr std::array kNames{FamilyName{Family::RmsNorm, "rmsnorm"}};
  static const OperatorFamily kFamily;

  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, width = 4096;
  bool residual = false;
  bool layer_norm = false;  // LayerNorm: also subtracts the mean
  static FieldTable describe();
};

}  // namespace warploom
