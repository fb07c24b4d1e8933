// The choice of the next token.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Choosing the next token from fp32 logits [sequences, vocabulary].
struct Sampling {
  static constexpr std::array kNames{FamilyName{Family::Sampling, "sampling"}};
  static const OperatorFamily kFamily;

  std::int64_t sequences = 1, vocabulary = 128256;
  static FieldTable describe();
};

}  // namespace warploom
