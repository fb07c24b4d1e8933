#include "warploom/predictor/physical_limit.h"

#include "warploom/measurements/quality.h"

namespace warploom {

PhysicalLimit physical_limit(const Operator& op, const GpuSpec& gpu) {
  return {physical_bound_of(op, gpu), Bound::Dram};
}

}  // namespace warploom
