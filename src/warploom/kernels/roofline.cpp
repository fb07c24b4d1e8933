#include "warploom/kernels/roofline.h"

#include <algorithm>

namespace warploom {
namespace {

constexpr double kFasterShare = 0.7;
constexpr double kSlowerFactor = 4.0;

}  // namespace

LatencyEstimate RooflineModel::estimate(const Operator& op, const GpuSpec& gpu,
                                        const KernelContext& context) const {
  check_operator(op, "prediction");
  const KernelProfile described = profile(op, gpu, context, {.routing = &routing_});
  LatencyEstimate estimate;
  estimate.p50 = Seconds(described.roofline);
  estimate.p10 = Seconds(std::max(described.physical_bound, kFasterShare * described.roofline));
  estimate.p90 = Seconds(kSlowerFactor * described.roofline);
  estimate.physical_bound = Seconds(described.physical_bound);
  estimate.bound = described.limited_by;
  return estimate;
}

}  // namespace warploom
