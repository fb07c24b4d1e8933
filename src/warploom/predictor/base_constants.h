// The constants of the structural bases: what training fits on the GPUs it learns from, before any tree.
//
// A family's source declares its table; compute_features takes the values. A new constant needs an entry in
// that table, an enumerator and its use; the fit, the predictor file and leaving GPUs out follow by
// themselves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "warploom/kernels/operator.h"

namespace warploom {

struct ConstantSpec {
  std::string_view name;
  double value;        // the default, and the centre of the prior; positive
  double low, high;    // the fit stays within: 0 < low <= value <= high
  double sigma = 0.3;  // of the prior on ln(value): 0.1 = known well, 1 = anything goes
};

inline constexpr std::size_t kMaxConstants = 128;

// Values in the order of the family's table; entries past its end are not used.
struct BaseConstants {
  std::array<double, kMaxConstants> values{};
  double operator[](std::size_t i) const { return values[i]; }
  friend bool operator==(const BaseConstants&, const BaseConstants&) = default;
};

// The family's table; empty when nothing of its base is fitted. At most kMaxConstants entries.
std::span<const ConstantSpec> base_constants(Family family);

// The values of the table.
const BaseConstants& default_constants(Family family);

}  // namespace warploom
