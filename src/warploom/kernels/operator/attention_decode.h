// Attention of single new tokens.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// One new token per request (query_tokens = 1 in each group; more for speculative verification).
// A group's context_tokens are the tokens already in its cache; the new token is attended too.
struct AttentionDecode {
  static constexpr std::array kNames{FamilyName{Family::AttentionDecode, "attention_decode"}};
  static const OperatorFamily kFamily;

  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t window = 0;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

}  // namespace warploom
