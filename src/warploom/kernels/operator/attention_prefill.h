// Attention of prompts.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Softmax attention with grouped KV heads; prefill when queries are chunks of tokens.
// causal: query i of a request sees its context and queries up to i. window 0 = full, else the last
// `window` tokens. Time of the attention kernel alone: no projections, no rotary, no cache write.
struct AttentionPrefill {
  static constexpr std::array kNames{FamilyName{Family::AttentionPrefill, "attention_prefill"}};
  static const OperatorFamily kFamily;

  DataType compute = DataType::Bf16;
  DataType kv_cache = DataType::Bf16;
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t window = 0;
  bool causal = true;
  std::vector<RequestGroup> requests;
  static FieldTable describe();
};

}  // namespace warploom
