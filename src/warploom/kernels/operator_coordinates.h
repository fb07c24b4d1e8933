// An operator as plain sizes: what methods see that know nothing of kernels.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "warploom/base/hash.h"
#include "warploom/kernels/operator.h"

namespace warploom {

inline constexpr std::size_t kCoordinates = 12;

struct OperatorCoordinates {
  std::array<float, kCoordinates> sizes{};  // log2(1 + size); their number depends on the family alone
  std::size_t count = 0;
  std::uint64_t variant = 0;  // family, data types and all that is no size

  std::span<const float> values() const { return {sizes.data(), count}; }
  void add(double size) { sizes[count++] = std::log2(static_cast<float>(1 + size)); }

  template <class... Sizes>
  void add_sizes(const Sizes&... values) {
    (add(double(values)), ...);
  }
  template <class... Words>
  void add_variant(const Words&... values) {
    ((variant = hash_combine(variant, std::uint64_t(values))), ...);
  }
  void add_latent(const MlaShape& shape) { add_sizes(shape.heads, shape.kv_lora_rank, shape.nope_head_dim); }
  // By their number and mean lengths.
  void add_requests(const std::vector<RequestGroup>& groups);
};

// No allocation.
OperatorCoordinates operator_coordinates(const Operator& op);

}  // namespace warploom
