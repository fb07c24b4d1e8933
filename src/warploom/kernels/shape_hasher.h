// Feeds the fields of an operator into one running hash.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "warploom/base/hash.h"
#include "warploom/kernels/operator_base.h"

namespace warploom {

class ShapeHasher {
 public:
  // `family`: the first code of the struct.
  explicit ShapeHasher(Family family) : hash_(hash_combine(0x57A9ULL, std::uint64_t(family))) {}

  template <class... T>
  ShapeHasher& mix(const T&... values) {
    (mix_one(values), ...);
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  void mix_one(double value) { hash_ = hash_combine(hash_, std::bit_cast<std::uint64_t>(value)); }
  void mix_one(std::int64_t value) { hash_ = hash_combine(hash_, static_cast<std::uint64_t>(value)); }
  void mix_one(bool value) { hash_ = hash_combine(hash_, value ? 1 : 0); }
  template <NamedEnum E>
  void mix_one(E value) {
    hash_ = hash_combine(hash_, static_cast<std::uint64_t>(value));
  }
  void mix_one(const MlaShape& shape) {
    mix(shape.heads, shape.kv_lora_rank, shape.rope_head_dim, shape.nope_head_dim, shape.value_head_dim);
  }
  void mix_one(const std::vector<RequestGroup>& requests) {
    for (const RequestGroup& group : requests) mix(group.count, group.query_tokens, group.context_tokens);
  }

  std::uint64_t hash_;
};

}  // namespace warploom
