// Multi-head latent attention of single new tokens.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// MLA decode kernel in absorbed form: every head attends to the latent of kv_lora_rank + rope.
struct MlaDecode {
  static constexpr std::array kNames{FamilyName{Family::MlaDecode, "mla_decode"}};
  static const OperatorFamily kFamily;

  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  MlaShape shape;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

}  // namespace warploom
