#include "warploom/kernels/widen.h"

#include <algorithm>
#include <cmath>

namespace warploom {

void widen(LatencyEstimate& estimate, double half_width) {
  if (half_width <= 0) return;
  const double low = std::log(estimate.p10 / estimate.p50), high = std::log(estimate.p90 / estimate.p50);
  estimate.p10 = std::max(estimate.p50 * std::exp(-std::hypot(low, half_width)), estimate.physical_bound);
  estimate.p90 = estimate.p50 * std::exp(std::hypot(high, half_width));
}

void widen_by(LatencyEstimate& estimate, Seconds below, Seconds above) {
  const Seconds low(std::hypot((estimate.p50 - estimate.p10).value(), below.value()));
  const Seconds high(std::hypot((estimate.p90 - estimate.p50).value(), above.value()));
  estimate.p10 = std::max(estimate.p50 - low, estimate.physical_bound);
  estimate.p90 = estimate.p50 + high;
}

}  // namespace warploom
