#include "warploom/planner/pareto.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace warploom {

std::vector<std::size_t> pareto_front(std::span<const Tradeoff> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (points[a].first != points[b].first) return points[a].first < points[b].first;
    if (points[a].second != points[b].second) return points[a].second < points[b].second;
    return a < b;
  });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    if (!(points[i].second < least)) continue;
    least = points[i].second;
    front.push_back(i);
  }
  return front;
}

bool is_covered(std::span<const Tradeoff> points, const Tradeoff& corner) {
  return std::any_of(points.begin(), points.end(), [&](const Tradeoff& point) {
    return point.first <= corner.first && point.second <= corner.second;
  });
}

}  // namespace warploom
