#include "warploom/predictor/answer/log_estimate.h"

#include <cmath>

#include "warploom/predictor/answer/doubt.h"

namespace warploom {

void LogEstimate::set_interval(const LogInterval& interval, double log_base, double widening) {
  const std::size_t bucket = bucket_of(log_base);
  low = widening * double(interval.low[bucket]);
  high = widening * double(interval.high[bucket]);
}

void LogEstimate::set_outside(double distance) {
  extrapolated = distance > 0;
  outside = distance;
  if (extrapolated) doubt(doubt_outside(distance));
}

void LogEstimate::add_cold(double seconds) {
  if (seconds <= 0) return;
  const double longer = std::log1p(seconds / std::exp(log_p50));
  log_p50 += longer;
  doubt(doubt_of_cold(longer));
}

void LogEstimate::doubt(double half_width) {
  low = -std::hypot(low, half_width);
  high = std::hypot(high, half_width);
}

}  // namespace warploom
