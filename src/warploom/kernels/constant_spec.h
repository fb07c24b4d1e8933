// One constant of a structural base, and the values of a family's.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace warploom {

struct ConstantSpec {
  std::string_view name;
  std::string_view unit;         // of the value; "1" for shares, factors and exponents
  double value;                  // the default, and the centre of the prior; positive
  double low, high;              // the fit stays within: 0 < low <= value <= high
  double sigma = 0.3;            // of the prior on ln(value): 0.1 = known well, 1 = anything goes
  std::string_view source = {};  // what the default was fitted to or taken from
};

// The table, each row that names no source of its own taking `source`.
template <std::size_t N>
constexpr std::array<ConstantSpec, N> from_source(std::string_view source,
                                                  std::array<ConstantSpec, N> table) {
  for (ConstantSpec& spec : table)
    if (spec.source.empty()) spec.source = source;
  return table;
}

inline constexpr std::size_t kMaxConstants = 128;

// Values in the order of the family's table; entries past its end are not used.
struct BaseConstants {
  std::array<double, kMaxConstants> values{};
  double operator[](std::size_t i) const { return values[i]; }
  friend bool operator==(const BaseConstants&, const BaseConstants&) = default;
};

}  // namespace warploom
