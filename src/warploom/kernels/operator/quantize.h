// Quantising passes.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Quantising a bf16 matrix [rows, width] to `target`. dynamic: scales are computed from the data first.
struct Quantize {
  static constexpr std::array kNames{FamilyName{Family::Quantize, "quantize"}};
  static const OperatorFamily kFamily;

  DataType target = DataType::Fp8;
  std::int64_t rows = 1, width = 4096;
  bool dynamic = true;
  static FieldTable describe();
};

}  // namespace warploom
