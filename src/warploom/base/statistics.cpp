#include "warploom/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double tied_rank = 0.5 * static_cast<double>(begin + end - 1);
    for (std::size_t i = begin; i < end; ++i) result[order[i]] = tied_rank;
    begin = end;
  }
  return result;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return kNaN;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  const double center = mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - center) * (value - center);
  return values.empty() ? kNaN : std::sqrt(sum / static_cast<double>(values.size()));
}

double quantile_of_sorted(std::span<const double> sorted, double fraction) {
  if (sorted.empty()) return kNaN;
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(position));
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (position - static_cast<double>(low));
}

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return kNaN;
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(std::floor(position));
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double low_value = values[static_cast<std::size_t>(low)];
  if (static_cast<std::size_t>(low) + 1 >= values.size()) return low_value;
  const double high_value = *std::min_element(values.begin() + low + 1, values.end());
  return low_value + (high_value - low_value) * (position - static_cast<double>(low));
}

double pearson_correlation(std::span<const double> a, std::span<const double> b) {
  WARPLOOM_ASSERT(a.size() == b.size());
  if (a.size() < 2) return kNaN;
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : kNaN;
}

double spearman_correlation(std::span<const double> a, std::span<const double> b) {
  return pearson_correlation(ranks(a), ranks(b));
}

}  // namespace warploom
