#include "warploom/baselines/cell_lookup.h"

#include <algorithm>

#include "warploom/base/hash.h"
#include "warploom/kernels/physical_bound.h"

namespace warploom::baselines {

CircleKeys circle_keys(const OperatorCoordinates& op, const GpuSpec& gpu, const KernelContext& context) {
  const std::uint64_t variant = hash_combine(op.variant, 1);
  const std::uint64_t library = hash_bytes(context.kernel, hash_bytes(context.framework, variant));
  const std::uint64_t release = hash_combine(library, gpu.name_hash);
  return {hash_bytes(context.version, hash_combine(release, 2)), release, library, variant};
}

LatencyEstimate plain_estimate(double seconds, const Operator& op, const GpuSpec& gpu, Tier tier) {
  const PhysicalBound limit = physical_bound(op, gpu);
  const Seconds time(std::max(seconds, limit.time.value()));
  return {.p10 = time,
          .p50 = time,
          .p90 = time,
          .physical_bound = limit.time,
          .bound = limit.bound,
          .tier = tier};
}

}  // namespace warploom::baselines
