// The points that prices are remembered at, and where a value lies between them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace warploom {

// Ascending points that cover [1, limit]: every integer up to `dense`, then steps of at most 1/`per_octave`
// of the value (so that rounding never leaves gaps).
std::vector<std::int64_t> geometric_points(std::int64_t limit, std::int64_t dense, std::int64_t per_octave);

// Between points low and low + 1, at share `weight` of the way.
struct GridPosition {
  std::size_t low = 0;
  double weight = 0;
};

class PriceGrid {
 public:
  // Ascending points, at least one, none negative.
  explicit PriceGrid(std::vector<std::int64_t> points);

  std::size_t size() const { return points_.size(); }
  std::int64_t operator[](std::size_t i) const { return points_[i]; }
  std::int64_t back() const { return points_.back(); }
  // Values outside lie at the nearer end. Constant time: a table over the leading bits of the value gives the
  // point to start from.
  GridPosition locate(double value) const {
    std::size_t low = value < 1 ? 0 : start_[std::min(start_.size() - 1, key_of(value))];
    while (low + 1 < values_.size() && values_[low + 1] <= value) ++low;
    if (low + 1 == values_.size() || value <= values_[low]) return {low, 0.0};
    return {low, (value - values_[low]) / (values_[low + 1] - values_[low])};
  }

 private:
  static constexpr int kBitsPerOctave = 5;
  // For values of 1 and more: octave and leading bits, ascending from 0.
  static std::size_t key_of(double value) {
    return std::size_t((std::bit_cast<std::uint64_t>(value) - std::bit_cast<std::uint64_t>(1.0)) >>
                       (52 - kBitsPerOctave));
  }

  std::vector<std::int64_t> points_;
  std::vector<double> values_;        // the same
  std::vector<std::uint32_t> start_;  // by key: the last point that no value of that key lies below
};

}  // namespace warploom
