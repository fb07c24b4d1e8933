// An operator as plain sizes: what methods see that know nothing of kernels.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warploom/kernels/operator.h"

namespace warploom::baselines {

inline constexpr std::size_t kCoordinates = 12;

struct OperatorCoordinates {
  std::array<float, kCoordinates> sizes{};  // log2(1 + size); their number depends on the family alone
  std::size_t count = 0;
  std::uint64_t variant = 0;  // family, data types and all that is no size

  std::span<const float> values() const { return {sizes.data(), count}; }
  void add(double size);
};

// Requests count by their number and mean lengths. No allocation.
OperatorCoordinates operator_coordinates(const Operator& op);

}  // namespace warploom::baselines
