// Writes to the KV cache.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Writing new keys and values into the paged cache.
struct KvWrite {
  static constexpr std::array kNames{FamilyName{Family::KvWrite, "kv_write"}};
  static const OperatorFamily kFamily;

  DataType type = DataType::Bf16;      // of the incoming keys and values
  DataType kv_cache = DataType::Bf16;  // of the cache
  std::int64_t tokens = 1, kv_heads = 8, head_dim = 128;
  static FieldTable describe();
};

}  // namespace warploom
