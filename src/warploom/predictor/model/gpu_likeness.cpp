#include "warploom/predictor/model/gpu_likeness.h"

#include <cmath>

namespace warploom {

double gpu_distance(const GpuSpec& a, const GpuSpec& b) {
  const auto part = [](double x, double y) {
    const double ratio = x > 0 && y > 0 ? std::log(x / y) : double(x != y);
    return ratio * ratio;
  };
  return std::sqrt(part(double(a.sm_count), double(b.sm_count)) +
                   part(a.tensor_rates.fp16, b.tensor_rates.fp16) +
                   part(a.memory_bandwidth.value(), b.memory_bandwidth.value()) +
                   part(a.l2_capacity.value(), b.l2_capacity.value()) +
                   part(a.boost_clock.value(), b.boost_clock.value()) +
                   part(a.power_limit.value(), b.power_limit.value()));
}

}  // namespace warploom
