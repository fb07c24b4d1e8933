#include "warploom/app/tune/staircase.h"

#include <cmath>

namespace warploom {

std::vector<StaircasePoint> staircase(const RuntimeTable& table, std::int64_t most_m, std::int64_t n,
                                      std::int64_t k, std::size_t count) {
  check_shape({most_m, n, k}, "tune show");
  std::vector<StaircasePoint> points;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = count < 2 ? 1.0 : double(i) / double(count - 1);
    const auto m = static_cast<std::int64_t>(std::llround(std::pow(double(most_m), part)));
    if (m == last) continue;
    last = m;
    const TileShape shape{m, n, k};
    points.push_back({.shape = shape,
                      .chosen = table.pick(shape),
                      .default_us = table.predict_us(shape, table.default_config()).value_or(0)});
  }
  return points;
}

}  // namespace warploom
