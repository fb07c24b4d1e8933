#include "warploom/kernels/profile_parts.h"

#include <algorithm>

#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/tile_schedule.h"

namespace warploom {
namespace {

// s per kernel of a CUDA graph, and of a collective; plain round figures, so that the roofline stays a
// baseline.
constexpr double kKernelLaunch = 2e-6;
constexpr double kCollectiveLaunch = 4e-6;

double launch_floor(const Operator& op, double launches) {
  const bool collective = family_value(op).kind == FamilyKind::Collective;
  return launches * (collective ? kCollectiveLaunch : kKernelLaunch);
}

// Adds a kernel to the profile; returns its roofline time. Compute stretches by the busiest SM, memory does
// not.
double add_kernel(KernelProfile& profile, const TaskGrid& grid, const GpuSpec& gpu, double network_bandwidth,
                  double& longest) {
  const PipelineTimes times = pipeline_times(grid.demand(), gpu, grid.tensor_rate, network_bandwidth);
  profile.t_tensor += times.tensor;
  profile.t_fma += times.fma;
  profile.t_special += times.special;
  profile.t_shared += times.shared;
  profile.t_l2 += times.l2;
  profile.t_dram += times.dram;
  profile.t_network += times.network;
  const TileSchedule schedule = schedule_grid(grid, double(gpu.sm_count), 0);
  const double roofline = std::max(times.compute() * schedule.balance(), times.memory());
  if (roofline >= longest) {
    longest = roofline;
    profile.tasks = grid.tasks();
    profile.steps = grid.total_steps() / std::max(1.0, grid.tasks());
    profile.longest_steps = grid.longest_steps();
    profile.occupancy = grid.occupancy;
    profile.waves = grid.tasks() / (double(gpu.sm_count) * grid.occupancy);
    profile.sm_waves = schedule.waves;
    profile.wave_fill = schedule.wave_fill;
    profile.balance = schedule.balance();
    profile.unit_rate = grid.tensor_rate;
    profile.limited_by = times.bound();
  }
  return roofline;
}

}  // namespace

KernelProfile finished_profile(const Operator& op, const GpuSpec& gpu, ProfileParts parts) {
  KernelProfile& result = parts.profile;
  result.family = family_of(op);
  // The work of a mixture of experts depends on its routing, which the builder had at hand.
  if (!std::holds_alternative<FusedMoe>(op)) result.work = work_of(op);
  result.launches = result.work.launches;
  result.t_launch = launch_floor(op, result.launches);
  double longest = -1, kernels = 0;
  for (std::size_t i = 0; i < parts.sequence.size; ++i) {
    kernels += add_kernel(result, parts.sequence.kernels[i], gpu, parts.network_bandwidth, longest);
  }
  result.demand = parts.sequence.demand();
  const double executed = result.demand.tensor_flop;
  const double useful = result.work.matrix_flop.value();
  if (useful > 0 && executed > 0) result.padding = executed / useful;
  if (useful > 0 && result.unit_rate > 0)
    result.t_useful = useful / (result.unit_rate * gpu.sm_cycles_per_second());
  const PhysicalBound bound = physical_bound(op, gpu, result.work);
  result.physical_bound = bound.time.value();
  result.bound = bound.bound;
  result.roofline = std::max(result.physical_bound, result.t_launch + kernels);
  if (result.t_launch > kernels) result.limited_by = Bound::Launch;
  result.structural = std::max(result.physical_bound, parts.structural);
  return std::move(result);
}

}  // namespace warploom
