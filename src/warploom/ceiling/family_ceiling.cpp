#include "warploom/ceiling/family_ceiling.h"

#include <algorithm>

namespace warploom {

double FamilyCeiling::z_at(double q) const {
  const double place = std::clamp((q - kLeastQuantile) * 100, 0.0, double(kCeilingQuantiles - 1));
  const auto below = std::min(std::size_t(place), kCeilingQuantiles - 2);
  const double share = place - double(below);
  return double(z[below]) * (1 - share) + double(z[below + 1]) * share;
}

}  // namespace warploom
