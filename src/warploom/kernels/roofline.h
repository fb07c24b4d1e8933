// The baseline: data-sheet rates, waves and a launch floor, nothing learned.
#pragma once

#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// p50 = launch floor + sum over the call's kernels of
//         max(compute pipelines at peak * busiest SM / mean SM, L2 bytes / bandwidth,
//             DRAM bytes / bandwidth);
// operands come from DRAM. p10 = max(physical bound, 0.7 p50), p90 = 4 p50: kernels rarely beat it and often
// miss it by far. Tier Roofline. Throws as LatencyModel says.
class RooflineModel : public LatencyModel {
 public:
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;

 private:
  RoutingCache routing_;
};

}  // namespace warploom
