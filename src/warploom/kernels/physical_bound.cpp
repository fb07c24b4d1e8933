#include "warploom/kernels/physical_bound.h"

#include "warploom/kernels/bound_limit.h"
#include "warploom/kernels/operator_family.h"

namespace warploom {

Bytes forced_dram_bytes(const Operator& op, const GpuSpec& gpu, const Work& work, Residency operands) {
  return Bytes(family_value(op).forced_dram(op, gpu, work, operands));
}

PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const Work& work, Residency operands) {
  BoundLimit limit;
  family_value(op).bound(limit, op, gpu, work, operands);
  return {Seconds(limit.seconds), limit.bound};
}

PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const RoutingCache* routing) {
  return physical_bound(op, gpu, work_of(op, routing));
}

PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const RoutingLoad& load,
                             Residency operands) {
  return physical_bound(op, gpu, work_of(op, load), operands);
}

}  // namespace warploom
