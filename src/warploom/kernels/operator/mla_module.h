// A block of multi-head latent attention with its projections.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// A whole MLA attention module (projections and attention), as some engines measure it.
struct MlaModule {
  static constexpr std::array kNames{FamilyName{Family::MlaModule, "mla_module"}};
  static const OperatorFamily kFamily;

  MatmulScheme projections = MatmulScheme::Bf16;
  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  bool decode = false;
  std::int64_t hidden = 7168;
  std::int64_t q_lora_rank = 1536;
  MlaShape shape;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

}  // namespace warploom
