#include "warploom/predictor/training/interval_fit.h"

#include <algorithm>

#include "warploom/base/statistics.h"

namespace warploom {
namespace {

constexpr std::size_t kEnough = 40;

}  // namespace

std::vector<double> BucketResiduals::all() const {
  std::vector<double> together;
  for (const std::vector<double>& bucket : values)
    together.insert(together.end(), bucket.begin(), bucket.end());
  return together;
}

LogInterval fit_interval(const BucketResiduals& residuals, const LogInterval& fallback, double tail) {
  const std::vector<double> together = residuals.all();
  LogInterval interval = fallback;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    const std::vector<double>& bucket = residuals.values[b];
    const std::vector<double>& source = bucket.size() >= kEnough ? bucket : together;
    if (source.size() < kEnough) continue;
    interval.low[b] = float(std::min(quantile(source, tail), 0.0));
    interval.high[b] = float(std::max(quantile(source, 1 - tail), 0.0));
  }
  return interval;
}

}  // namespace warploom
