// The distribution of one family's efficiency given shape and GPU.
//
//   ln efficiency = location(features) + spread(features) * z,   efficiency = physical bound / latency
//
// Location and spread are boosted trees; z has one distribution for the family, kept as a table of quantiles
// of rows that the trees did not see. So quantiles cannot cross, any q is answered by one look-up, and the
// share of rows above a quantile is right by construction on exchangeable shapes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/kernels/operator.h"

namespace warploom {

inline constexpr double kLeastQuantile = 0.5, kMostQuantile = 0.99;
// Quantiles 0.50, 0.51, ... 0.99 of z.
inline constexpr std::size_t kCeilingQuantiles = 50;
// Limits of the spread, in ln: values outside are due to outliers, not to the kernel.
inline constexpr double kLeastSpread = 0.005, kMostSpread = 1.5;

struct FamilyCeiling {
  Family family = Family::Gemm;
  std::vector<std::string> gpus;  // learned from, canonical names, in order of name
  std::uint64_t rows = 0;         // learned from
  std::uint64_t data_hash = 0, seed = 1;
  double test_fraction = 0.1;  // of shapes kept out (ShapeSplit)
  std::uint64_t split_seed = 0;
  float location_offset = 0, spread_offset = 0;  // added to the trees' sums
  std::string location, spread;                  // encode_symmetric; spread answers ln
  std::array<float, kCeilingQuantiles> z{};      // ascending

  // The quantile q of z, linear between those of the table. q in [kLeastQuantile, kMostQuantile].
  double z_at(double q) const;
};

}  // namespace warploom
