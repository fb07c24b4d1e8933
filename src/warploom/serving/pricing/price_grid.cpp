#include "warploom/serving/pricing/price_grid.h"

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {

std::vector<std::int64_t> geometric_points(std::int64_t limit, std::int64_t dense, std::int64_t per_octave) {
  std::vector<std::int64_t> points;
  std::int64_t value = 1;
  while (value < limit) {
    points.push_back(value);
    value += value < dense ? 1 : std::max<std::int64_t>(1, value / per_octave);
  }
  points.push_back(std::max<std::int64_t>(limit, 1));
  return points;
}

PriceGrid::PriceGrid(std::vector<std::int64_t> points)
    : points_(std::move(points)), values_(points_.begin(), points_.end()) {
  WARPLOOM_ASSERT(!points_.empty());
  const double last = std::max(1.0, double(points_.back()));
  std::uint32_t low = 0;
  for (std::size_t key = 0; key <= key_of(last); ++key) {
    const double least = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) +
                                               (std::uint64_t(key) << (52 - kBitsPerOctave)));
    while (low + 1 < points_.size() && double(points_[low + 1]) <= least) ++low;
    start_.push_back(low);
  }
}

}  // namespace warploom
