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

void LogEstimate::doubt(double half_width) {
  low = -std::hypot(low, half_width);
  high = std::hypot(high, half_width);
}

}  // namespace warploom
