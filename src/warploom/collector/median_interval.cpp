#include "warploom/collector/median_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace warploom::collector {
namespace {

double middle_of(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// The largest rank r (from 0) for which samples r and n - 1 - r enclose the median with 95 % confidence:
// P(Binomial(n, 1/2) <= r) <= 2.5 %. -1: none does.
int lower_rank(std::size_t n) {
  double probability = std::pow(0.5, double(n)), sum = 0;
  int rank = -1;
  for (std::size_t r = 0; r < n / 2; ++r) {
    sum += probability;
    if (sum > 0.025) break;
    rank = int(r);
    probability *= double(n - r) / double(r + 1);
  }
  return rank;
}

}  // namespace

MedianEstimate estimate_median(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  MedianEstimate estimate;
  estimate.samples = sorted.size();
  estimate.median = middle_of(sorted);
  const int rank = lower_rank(sorted.size());
  estimate.relative_half_width =
      rank < 0
          ? std::numeric_limits<double>::infinity()
          : (sorted[sorted.size() - 1 - std::size_t(rank)] - sorted[std::size_t(rank)]) / 2 / estimate.median;
  std::vector<double> deviations;
  for (const double sample : sorted) deviations.push_back(std::abs(sample - estimate.median));
  std::sort(deviations.begin(), deviations.end());
  // Timer ticks can make half of the deviations zero; a thousandth of the median is never an outlier.
  const double scale = std::max(1.4826 * middle_of(deviations), 1e-3 * estimate.median);
  for (const double deviation : deviations)
    if (deviation > kOutlierDeviations * scale) ++estimate.outliers;
  return estimate;
}

}  // namespace warploom::collector
