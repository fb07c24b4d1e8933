// Rotary position embedding.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Rotary embedding in place on queries and keys.
struct Rope {
  static constexpr std::array kNames{FamilyName{Family::Rope, "rope"}};
  static const OperatorFamily kFamily;

  DataType type = DataType::Bf16;
  std::int64_t tokens = 1, heads = 32, kv_heads = 8, head_dim = 128;
  static FieldTable describe();
};

}  // namespace warploom
