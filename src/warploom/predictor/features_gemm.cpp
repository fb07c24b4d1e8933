// GEMM: the library picks the best of many tilings, so each is priced and the least taken.
#include "warploom/predictor/feature_parts.h"

namespace warploom::features {
namespace {

struct Tile {
  std::int64_t rows, columns;
  double saturation;  // share of the matrix rate it can reach: min(1, (rows/128)^0.4 (columns/128)^0.45)
};
constexpr std::array<Tile, 12> kTiles{{{16, 64, 0.319},
                                       {32, 64, 0.420},
                                       {64, 64, 0.555},
                                       {64, 128, 0.758},
                                       {128, 64, 0.732},
                                       {128, 128, 1.0},
                                       {64, 256, 1.0},
                                       {128, 256, 1.0},
                                       {256, 128, 1.0},
                                       {32, 128, 0.574},
                                       {16, 128, 0.435},
                                       {256, 256, 1.0}}};
enum Fitted : std::size_t {
  kRateShare,
  kFeedBytesPerCycle,
  kStepCycles,
  kPrologueCycles,
  kSplitSeconds,
  kDramRate,
  kL2Share,
  kLaunchSeconds,
  kOverlap,
  kQuantisePassSeconds
};
constexpr std::array kConstants{
    ConstantSpec{"rate_share", 1, 0.5, 1.3, 0.1},              // of the sustained matrix rate
    ConstantSpec{"feed_bytes_per_cycle", 100, 30, 400, 0.3},   // operands from L2 to one SM
    ConstantSpec{"step_cycles", 22, 2, 120, 0.5},              // issue and synchronisation of a step
    ConstantSpec{"prologue_cycles", 1300, 200, 6000, 0.4},     // launch of a CTA, first loads
    ConstantSpec{"split_seconds", 2.5e-6, 0.5e-6, 8e-6, 0.3},  // reduction pass of a split K
    ConstantSpec{"dram_share", kDramShare, 0.5, 1, 0.1},       // of peak bandwidth
    ConstantSpec{"l2_share", 0.65, 0.3, 1.5, 0.2},             // of the cache that keeps weights
    ConstantSpec{"launch_seconds", 2e-6, 0.3e-6, 10e-6, 0.5},
    ConstantSpec{"overlap", 2.6, 1.1, 8, 0.3},  // power of the sum of compute and memory
    ConstantSpec{"quantise_seconds", 1e-6, 0.2e-6, 10e-6, 0.5},
};
constexpr std::int64_t kLoopDepth = 64;        // K of one main-loop step
constexpr double kEpilogueBytesPerCycle = 64;  // result of a tile

struct TileTimes {
  std::array<double, kTiles.size()> seconds;
  std::size_t best = 0;
  double best_waves = 0;
};

TileTimes price_tiles(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted, double weight_bytes,
                      double input_bytes) {
  const double sms = double(gpu.sm_count), clock = gpu.boost_clock.value();
  const double rate =
      tensor_rate_per_clock(gpu, math_type(op.scheme)) * sustained_rate_share(gpu) * fitted[kRateShare];
  const double split_traffic = double(op.m * op.n * op.batch) * 8 / (kL2BytesPerClockPerSm * sms * clock);
  TileTimes times;
  for (std::size_t i = 0; i < kTiles.size(); ++i) {
    const Tile& tile = kTiles[i];
    const double math_cycles =
        2.0 * double(tile.rows * tile.columns) / (rate * tile.saturation);  // per unit of K
    const double feed_cycles =
        (double(tile.rows) * input_bytes + double(tile.columns) * weight_bytes) / fitted[kFeedBytesPerCycle];
    const double fixed =
        fitted[kPrologueCycles] + double(tile.rows * tile.columns) * 2 / kEpilogueBytesPerCycle;
    const std::int64_t grid =
        ((op.m + tile.rows - 1) / tile.rows) * ((op.n + tile.columns - 1) / tile.columns) * op.batch;
    double least = 1e30, waves_of_least = 0;
    for (int split = 1; split <= 8; split *= 2) {
      const std::int64_t steps = (op.k + kLoopDepth * split - 1) / (kLoopDepth * split);
      const double waves = double(grid * split) / sms;
      const double cycles =
          std::ceil(waves) * (std::max(math_cycles, feed_cycles) * double(steps * kLoopDepth) +
                              fitted[kStepCycles] * double(steps) + fixed);
      const double seconds =
          cycles / clock + (split > 1 ? fitted[kSplitSeconds] + double(split) * split_traffic : 0.0);
      if (seconds < least) {
        least = seconds;
        waves_of_least = waves;
      }
    }
    times.seconds[i] = least;
    if (i == 0 || least < times.seconds[times.best]) {
      times.best = i;
      times.best_waves = waves_of_least;
    }
  }
  return times;
}

double alignment(std::int64_t size) { return std::log2(float(std::min<std::int64_t>(size & -size, 256))); }

// How full the waves and the padded tiles of a few tilings are.
void add_fills(const Gemm& op, const GpuSpec& gpu, FeatureRow& row) {
  const double m = double(op.m), n = double(op.n), batch = double(op.batch);
  for (const std::size_t shown : {5, 7, 2, 8}) {
    const Tile& tile = kTiles[shown];
    const double waves =
        ceil_div(m, double(tile.rows)) * ceil_div(n, double(tile.columns)) * batch / double(gpu.sm_count);
    row.add(std::min(waves, 32.0));
    row.add(wave_fill(waves));
  }
  row.add(m / (ceil_div(m, 128) * 128));
  row.add(n / (ceil_div(n, 128) * 128));
}

}  // namespace

std::span<const ConstantSpec> gemm_constants() { return kConstants; }

void add_gemm(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row) {
  const double m = double(op.m), n = double(op.n), k = double(op.k), batch = double(op.batch);
  const double weight_bytes = bytes_per_element(weight_type(op.scheme));
  const double input_bytes = bytes_per_element(activation_type(op.scheme));
  const double output_bytes = op.scheme == MatmulScheme::Fp32 || op.scheme == MatmulScheme::Tf32 ? 4 : 2;
  const double weights = weight_bytes * n * k * batch;
  const double activations = (input_bytes * m * k + output_bytes * m * n) * batch;
  const double l2 = gpu.l2_capacity.value(), bandwidth = gpu.memory_bandwidth.value();
  const double sm_cycles = gpu.sm_cycles_per_second();
  // Share of the weights that must come from DRAM: a smooth step at a share of the L2 cache.
  const double footprint =
      op.residency == Residency::Cold ? 1e3 * l2 + weights : op.weight_copies * weights + activations;
  const double fill = footprint / (fitted[kL2Share] * l2);
  const double cold = fill * fill * fill * fill / (1 + fill * fill * fill * fill);
  const double spilled = std::clamp(activations / (fitted[kL2Share] * l2) - 0.5, 0.0, 1.0);
  const double dram_seconds = (weights * cold + activations * spilled) / (fitted[kDramRate] * bandwidth);
  const double memory_seconds =
      dram_seconds + (weights + activations) / (kL2BytesPerClockPerSm * sm_cycles) * (1 - cold);
  const double peak_seconds =
      2 * m * n * k * batch / gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(op.scheme))).value();
  const double stream_seconds = (weights + activations) / bandwidth;

  const TileTimes tiles = price_tiles(op, gpu, fitted, weight_bytes, input_bytes);
  const double tile_seconds = tiles.seconds[tiles.best];
  const double quantise = quantises_activations(op.scheme)
                              ? fitted[kQuantisePassSeconds] + 1.5 * m * k * batch / (0.8 * bandwidth)
                              : 0.0;
  const double base =
      fitted[kLaunchSeconds] + power_sum(tile_seconds, memory_seconds, fitted[kOverlap]) + quantise;
  row.log_base = std::log(base);

  row.add(int(op.scheme == MatmulScheme::Fp16 ? MatmulScheme::Bf16 : op.scheme));
  row.add_log2(m);
  row.add_log2(n);
  row.add_log2(k);
  row.add_log2(m * n * batch);
  row.add_log2(n * k);
  row.add_log2(m * k);
  row.add_log2(m * n * k * batch);
  row.add_log2(batch);
  row.add(alignment(op.m));
  row.add(alignment(op.n));
  row.add(alignment(op.k));
  row.add_log2(peak_seconds / base);
  row.add_log2(memory_seconds / base);
  row.add_log2(stream_seconds / base);
  row.add_log2(tile_seconds / base);
  row.add_log2(base);
  row.add(cold);
  // Beyond eight times the cache nothing changes; Cold operators sit there.
  row.add_log2(std::min(footprint / l2, 8.0));
  row.add_log2(activations / l2);
  row.add(double(tiles.best));
  row.add_log2(tiles.best_waves);
  row.add(1 / wave_fill(tiles.best_waves));
  for (const double seconds : tiles.seconds) row.add_log2(seconds / base);
  add_fills(op, gpu, row);
}

}  // namespace warploom::features
