#include "warploom/kernels/gemm/block_scaled_hopper.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/gemm/gemm_constants.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

constexpr std::string_view kSource =
    "centre of the prior, set over PipeWeave's gemm_fp8 rows of H20 and H800 (decision 0018)";

constexpr double kTile = double(kBlockScaledTile);
constexpr double kClusterColumns = double(kBlockScaledClusterColumns);
// Hopper parts with HBM3. The records' L2 figures are micro-benchmarks; kernels follow them by about half.
constexpr double kTypicalL2 = 8.8e12;                    // B/s, the records of H100 and H200
constexpr double kFeedOverlap = 4, kCacheSharpness = 4;  // powers: nearly the larger alone
constexpr double kTilesOfStep = 3;  // one of inputs for both blocks of a cluster, two of weights

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
constexpr auto kConstants = from_source(
    kSource,
    std::array{
        ConstantSpec{"fp8_hopper_launch_seconds", "s", 3e-6, 0.5e-6, 10e-6, 0.5},
        ConstantSpec{"fp8_hopper_tile_cycles", "clocks", 2000, 200, 10000,
                     0.5},  // prologue and epilogue of a tile
        ConstantSpec{"fp8_hopper_scaling_cycles", "clocks", 300, 30, 1500,
                     0.5},                                                // per step, beside the matrix unit
        ConstantSpec{"fp8_hopper_step_overlap", "1", 2, 1.01, 8, 0.3},    // power of the sum of the two
        ConstantSpec{"fp8_hopper_l2_share", "1", 1, 0.3, 3, 0.3},         // of the L2 rate
        ConstantSpec{"fp8_hopper_dram_share", "1", 0.9, 0.4, 1.5, 0.2},   // of peak bandwidth
        ConstantSpec{"fp8_hopper_overlap", "1", 2.5, 1.1, 8, 0.3},        // power of the sum with DRAM
        ConstantSpec{"fp8_hopper_cache_share", "1", 0.6, 0.2, 1.5, 0.3},  // of L2 that keeps weights
        ConstantSpec{"fp8_hopper_output_share", "1", 0.7, 0.1, 2, 0.5},   // of the stores that DRAM sees
    });

BlockScaledHopperBase tiles_of(const Gemm& op, const GpuSpec& gpu) {
  BlockScaledHopperBase s;
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

std::span<const ConstantSpec> block_scaled_hopper_constants() { return kConstants; }

BlockScaledHopperBase block_scaled_hopper_base(const Gemm& op, const GpuSpec& gpu,
                                               const BaseConstants& fitted) {
  static const std::size_t general = gemm_constants().size();
  const auto constant = [&](Fitted which) { return fitted[general + which]; };
  const double clock = clock_under_load(gpu, ClockRule::DataSheet).hertz, l2 = gpu.l2_capacity.value();
  const double m = double(op.m * op.batch), n = double(op.n), k = double(op.k);
  BlockScaledHopperBase s = tiles_of(op, gpu);
  s.inputs = m * k;
  s.weights = n * k * double(op.batch);
  s.outputs = 2 * m * n;

  s.math = 2 * kTile * kTile * kTile / tensor_rate_per_clock(gpu, DataType::Fp8) / clock;
  s.step = power_sum(s.math, constant(kScalingCycles) / clock, constant(kStepOverlap));
  const double clusters = s.busy * std::floor(double(gpu.sm_count) / 2);
  s.feed = clusters * kTilesOfStep * kTile * kTile /
           (constant(kL2Share) * std::sqrt(kTypicalL2 * gpu.l2_bandwidth.value()));
  const double fed_step = power_sum(s.step, s.feed, kFeedOverlap);
  s.compute = s.waves * (constant(kTileCycles) / clock + s.steps * fed_step);
  // Rows of tiles run together; weights beyond the cache are read again for each set of them.
  const double kept = power_sum(constant(kCacheShare) * l2 / s.weights, 1, kCacheSharpness);
  const double missed = 1 / (kept * kept * kept * kept), sets = std::max(1.0, s.rounds) - 1;
  const double traffic = s.inputs + s.weights * (1 + missed * sets) + constant(kOutputShare) * s.outputs;
  s.again = s.weights * missed * sets / traffic;
  s.memory = traffic / (constant(kDramPeakShare) * gpu.memory_bandwidth.value());
  s.launch = constant(kLaunchSeconds);
  s.overlap = constant(kOverlap);
  s.seconds = s.launch + power_sum(s.compute, s.memory, s.overlap);
  return s;
}

}  // namespace warploom
