// What the structs of operators share.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/kernels/data_type.h"
#include "warploom/kernels/family.h"

namespace warploom {

// Where an operator's weights (or its inputs, when it has no weights) are when it starts. In serving they are
// cold: other layers evict them. Repeated-launch benchmarks keep what fits in L2 warm.
enum class Residency { Cold, Warm };
template <>
struct EnumNames<Residency> {
  static constexpr std::array<std::pair<Residency, std::string_view>, 2> kNames{
      {{Residency::Cold, "cold"}, {Residency::Warm, "warm"}}};
};

// `count` requests that are alike: each has `query_tokens` new tokens after `context_tokens` cached ones.
struct RequestGroup {
  std::int64_t count = 1;
  std::int64_t query_tokens = 1;
  std::int64_t context_tokens = 0;
  std::int64_t kv_tokens() const { return context_tokens + query_tokens; }
  static FieldTable describe();
  friend bool operator==(const RequestGroup&, const RequestGroup&) = default;
};

// Dimensions of multi-head latent attention; defaults are DeepSeek-V3's.
struct MlaShape {
  std::int64_t heads = 128;
  std::int64_t kv_lora_rank = 512;
  std::int64_t rope_head_dim = 64;
  std::int64_t nope_head_dim = 128;
  std::int64_t value_head_dim = 128;
  static FieldTable describe();
};

}  // namespace warploom
