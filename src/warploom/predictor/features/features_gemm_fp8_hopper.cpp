// The block-scaled fp8 product on Hopper: whole waves of two-block clusters, each step of a tile bounded by
// the matrix unit, the scaling of its sums on the plain cores, and the L2 cache that feeds all SMs.
#include <vector>

#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

constexpr double kTile = 128;
constexpr double kClusterColumns = 2 * kTile;
// L2 rate of Hopper parts with HBM3, B/s. The records' L2 figures are micro-benchmarks; kernels follow them
// by about half.
constexpr double kTypicalL2 = 8.8e12;

enum Fitted : std::size_t {
  kLaunchSeconds,
  kTileCycles,
  kScalingCycles,
  kStepOverlap,
  kL2Share,
  kDramPeakShare,
  kOverlap,
  kCacheShare,
  kOutputShare
};
constexpr std::array kConstants{
    ConstantSpec{"fp8_hopper_launch_seconds", 3e-6, 0.5e-6, 10e-6, 0.5},
    ConstantSpec{"fp8_hopper_tile_cycles", 2000, 200, 10000, 0.5},  // prologue and epilogue of a tile
    ConstantSpec{"fp8_hopper_scaling_cycles", 300, 30, 1500, 0.5},  // per step, beside the matrix unit
    ConstantSpec{"fp8_hopper_step_overlap", 2, 1.01, 8, 0.3},       // power of the sum of the two
    ConstantSpec{"fp8_hopper_l2_share", 1, 0.3, 3, 0.3},            // of the L2 rate
    ConstantSpec{"fp8_hopper_dram_share", 0.9, 0.4, 1.5, 0.2},      // of peak bandwidth
    ConstantSpec{"fp8_hopper_overlap", 2.5, 1.1, 8, 0.3},           // power of the sum with DRAM
    ConstantSpec{"fp8_hopper_cache_share", 0.6, 0.2, 1.5, 0.3},     // of L2 that keeps weights
    ConstantSpec{"fp8_hopper_output_share", 0.7, 0.1, 2, 0.5},      // of the stores that DRAM sees
};

struct Structure {
  double row_tiles, column_pairs, steps, rounds, waves, busy;
};

Structure structure_of(const Gemm& op, const GpuSpec& gpu) {
  Structure s;
  s.row_tiles = ceil_div(double(op.m), kTile) * double(op.batch);
  s.column_pairs = ceil_div(double(op.n), kClusterColumns);
  s.steps = ceil_div(double(op.k), kTile);
  const double slots = std::max(1.0, std::floor(double(gpu.sm_count) / 2));
  s.rounds = s.row_tiles * s.column_pairs / slots;
  s.waves = std::ceil(s.rounds);
  s.busy = std::min(1.0, s.rounds);
  return s;
}

}  // namespace

std::size_t general_gemm_constants() { return gemm_constants().size(); }

std::span<const ConstantSpec> all_gemm_constants() {
  static const std::vector<ConstantSpec> all = [] {
    const auto general = gemm_constants();
    std::vector<ConstantSpec> table(general.begin(), general.end());
    table.insert(table.end(), kConstants.begin(), kConstants.end());
    return table;
  }();
  return all;
}

void add_gemm_fp8_hopper(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted,
                         OperatorFeatures& row) {
  const auto constant = [&](Fitted which) { return fitted[general_gemm_constants() + which]; };
  const double clock = gpu.boost_clock.value(), l2 = gpu.l2_capacity.value();
  const double m = double(op.m * op.batch), n = double(op.n), k = double(op.k);
  const Structure s = structure_of(op, gpu);
  const double inputs = m * k, weights = n * k * double(op.batch), outputs = 2 * m * n;

  // A cluster's step: one tile of inputs for both blocks, two of weights.
  const double math = 2 * kTile * kTile * kTile / tensor_rate_per_clock(gpu, DataType::Fp8) / clock;
  const double step = power_sum(math, constant(kScalingCycles) / clock, constant(kStepOverlap));
  const double clusters = s.busy * std::floor(double(gpu.sm_count) / 2);
  const double feed =
      clusters * 3 * kTile * kTile / (constant(kL2Share) * std::sqrt(kTypicalL2 * gpu.l2_bandwidth.value()));
  const double fed_step = power_sum(step, feed, 4);
  const double compute = s.waves * (constant(kTileCycles) / clock + s.steps * fed_step);
  // Rows of tiles run together; weights beyond the cache are read again for each set of them.
  const double kept = power_sum(constant(kCacheShare) * l2 / weights, 1, 4);
  const double again = 1 / (kept * kept * kept * kept);
  const double traffic =
      inputs + weights * (1 + again * (std::max(1.0, s.rounds) - 1)) + constant(kOutputShare) * outputs;
  const double memory = traffic / (constant(kDramPeakShare) * gpu.memory_bandwidth.value());
  const double base = constant(kLaunchSeconds) + power_sum(compute, memory, constant(kOverlap));

  row.log_base = std::log(base);
  row.add_log2(m);
  row.add_log2(n);
  row.add_log2(k);
  row.add(std::min(s.row_tiles, 64.0));
  row.add(s.column_pairs);
  row.add(s.steps);
  row.add_log2(s.waves);
  row.add(wave_fill(s.rounds));
  row.add(s.busy);
  row.add_log2(compute / base);
  row.add_log2(memory / base);
  row.add(constant(kLaunchSeconds) / base);
  row.add(double((op.m - 1) % std::int64_t(kTile) + 1));
  row.add(double(op.n % std::int64_t(kClusterColumns)));
  row.add_log2(feed / step);
  row.add_log2((inputs + weights + outputs) / l2);
  row.add_log2(weights / l2);
  row.add_log2(s.rounds);
  row.add_log2(math / step);
}

}  // namespace warploom::features
