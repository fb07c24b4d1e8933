#include "warploom/ceiling/ceiling_features.h"

#include <algorithm>

#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

constexpr double kMostWaves = 32;
constexpr double kMostTasks = 1e6;

double capped(double value, double most) { return std::min(value, most); }

// Shares of the physical bound; what is not used at all counts as very little.
void add_pipelines(const KernelProfile& p, FeatureRow& row) {
  const double bound = std::max(p.physical_bound, 1e-9);
  for (const double time :
       {p.t_tensor, p.t_useful, p.t_fma, p.t_special, p.t_shared, p.t_l2, p.t_dram, p.t_network, p.t_launch,
        p.roofline, p.structural, p.price.passes, p.price.compute, p.price.memory})
    row.add_log2(std::max(time / bound, 1e-4));
  row.add_log2(bound);
}

void add_grid(const KernelProfile& p, FeatureRow& row) {
  row.add(capped(p.sm_waves, kMostWaves));
  row.add(p.wave_fill);
  row.add_log2(p.balance);
  row.add_log2(p.price.balance);
  row.add_log2(p.padding);
  row.add(p.occupancy);
  row.add_log2(capped(std::max(p.tasks, 0.1), kMostTasks));
  row.add_log2(std::max(p.steps, 0.1));
  row.add_log2(std::max(p.splits, 1.0));
  row.add(p.tile_m);
  row.add(p.resident_share);
  row.add(p.launches);
  row.add(double(int(p.bound)));
}

// Zero but for experts and requests.
void add_spread(const Operator& op, const KernelProfile& p, FeatureRow& row) {
  const bool moe = std::holds_alternative<FusedMoe>(op);
  const double hit = std::max(p.routing.experts_hit, 0.01), pairs = std::max(p.routing.pairs, 0.01);
  row.add_log2(moe ? pairs / hit : 1);
  row.add_log2(moe ? std::max(p.routing.busiest_pairs, 0.01) * hit / pairs : 1);
  row.add(moe ? hit / std::max(p.routing.experts_held, 1.0) : 0);
  row.add_log2(p.steps > 0 ? std::max(p.longest_steps / p.steps, 1e-3) : 1);
}

}  // namespace

KernelProfile ceiling_profile(const Operator& op, const GpuSpec& gpu, const RoutingCache* routing) {
  return profile(op, gpu, {}, {.routing = routing});
}

void ceiling_features(const Operator& op, const GpuSpec& gpu, const KernelProfile& profile, FeatureRow& row) {
  row.clear();
  row.add(double(kind_code(op)));
  add_pipelines(profile, row);
  add_grid(profile, row);
  add_spread(op, profile, row);
  const double fma = 2 * gpu.fma_lanes;
  row.add_log2(std::max(profile.unit_rate, fma) / fma);
  row.add_log2(std::max(profile.work.unique_bytes().value(), 1.0) / gpu.l2_capacity.value());
  row.take_logs();
}

}  // namespace warploom
