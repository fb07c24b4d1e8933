// The embedding of tokens.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Gathering `tokens` rows of a [vocabulary, hidden] table.
struct Embedding {
  static constexpr std::array kNames{FamilyName{Family::Embedding, "embedding"}};
  static const OperatorFamily kFamily;

  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, hidden = 4096, vocabulary = 128256;
  static FieldTable describe();
};

}  // namespace warploom
