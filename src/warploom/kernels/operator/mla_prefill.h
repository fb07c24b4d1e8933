// Multi-head latent attention of prompts.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// MLA prefill kernel on expanded keys (nope+rope) and values.
struct MlaPrefill {
  static constexpr std::array kNames{FamilyName{Family::MlaPrefill, "mla_prefill"}};
  static const OperatorFamily kFamily;

  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  MlaShape shape;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

}  // namespace warploom
