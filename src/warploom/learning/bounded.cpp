#include <algorithm>
#include <cmath>

#include "warploom/learning/boosting.h"

namespace warploom {

std::vector<float> bounded(std::span<const float> values, double medians, float least) {
  std::vector<float> sizes;
  for (const float value : values) sizes.push_back(std::abs(value));
  const auto middle = sizes.begin() + std::ptrdiff_t(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const float bound = std::max(float(medians) * *middle, least);
  std::vector<float> result;
  for (const float value : values) result.push_back(std::clamp(value, -bound, bound));
  return result;
}

}  // namespace warploom
