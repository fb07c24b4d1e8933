// The time that no implementation on a GPU can beat, and what sets it.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/work.h"

namespace warploom {

struct PhysicalBound {
  Seconds time;
  Bound bound = Bound::Launch;  // the pipeline that sets it
};

// The maximum of
//   products / matrix rate at the highest clock the driver allows;
//   exponentials of attention / special-function rate, half of them computed on FMA lanes;
//   bytes that cannot be in L2 / DRAM bandwidth: cold operands in full; of warm tensors what exceeds L2
//     (weights rotated in c copies: what exceeds L2 / c; experts: two deviations below the mean of
//     random choice);
//   bytes that must leave the GPU / link bandwidth (all-reduce: one buffer each way, as a reducing
//     switch needs; dispatch and combine: tokens sent once per peer at best), and what must leave a node /
//     the rate of its adapters;
//   the shortest kernel, 0.5 us.
// Gemm says whether its weights are cold. `operands`: where the weights of experts and the caches of decoding
// requests are; the new token of a request is warm in any case, and every other operator may find its
// operands in L2. Throws Unsupported when the GPU cannot run the types. O(groups of requests).
PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const Work& work,
                             Residency operands = Residency::Warm);
PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const RoutingCache* routing = nullptr);
// The same with the load of a FusedMoe, when it is one.
PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const RoutingLoad& load,
                             Residency operands = Residency::Warm);

// Bytes of DRAM traffic that no cache policy avoids.
Bytes forced_dram_bytes(const Operator& op, const GpuSpec& gpu, const Work& work,
                        Residency operands = Residency::Warm);

}  // namespace warploom
