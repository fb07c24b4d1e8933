// Activations between two products.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Element-wise activation. gated (SiLU-and-mul): reads [tokens, 2*width], writes [tokens, width].
struct Activation {
  static constexpr std::array kNames{FamilyName{Family::Activation, "activation"}};
  static const OperatorFamily kFamily;

  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, width = 14336;  // width of the OUTPUT
  bool gated = true;
  static FieldTable describe();
};

}  // namespace warploom
