#include "warploom/kernels/frozen/gemm_tile_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/precision_support.h"

namespace warploom {
namespace {

constexpr double kStep = 64;  // inner length of one pipeline stage
constexpr std::array<double, 4> kColumnBlocks{32, 64, 128, 256};
constexpr std::array<double, 8> kSplits{1, 2, 3, 4, 6, 8, 12, 16};

double largest_tile(const GpuSpec& gpu) {
  // Tensor memory and 2-SM instructions of data-centre Blackwell carry 256 x 256.
  return has_tensor_memory(gpu) ? 65536 : 32768;
}

struct TileCost {
  double fixed_clocks;     // per block, whatever the inner length
  double clocks_per_step;  // per 64 of it
};

TileCost tile_cost(const TiledProduct& product, const GemmParameters& p, double bm, double bn,
                   double saturation) {
  const double math = 2 * bm * bn * kStep / (product.rate * saturation);
  const double feed =
      (bm * product.activation_bytes + bn * product.weight_bytes) * kStep / p.feed_bytes_per_clock;
  return {p.prologue_clocks + p.epilogue_clocks_per_byte * bm * bn * product.output_bytes,
          std::max(math, feed) + p.step_clocks};
}

// Seconds for the pass that quantises activations.
double quantising_time(const Gemm& op, const GpuSpec& gpu, const GemmParameters& p) {
  if (!quantises_activations(op.scheme)) return 0;
  const double elements = double(op.m) * double(op.k) * double(op.batch);
  const double bytes = elements * (2 + bytes_per_element(activation_type(op.scheme)));
  const double share = resident_share(bytes, gpu, p.cache_fraction, p.cache_sharpness);
  const double warm = p.warm_efficiency * gpu.l2_bandwidth.value();
  return p.quantise_launch.value() +
         bytes / p.quantise_efficiency * (share / warm + (1 - share) / gpu.memory_bandwidth.value());
}

}  // namespace

double power_norm(double a, double b, double p) {
  const double high = std::max(a, b), low = std::min(a, b);
  if (low <= 0 || low < 1e-3 * high) return high;
  return high * std::pow(1 + std::pow(low / high, p), 1 / p);
}

double resident_share(double bytes, const GpuSpec& gpu, double cache_fraction, double sharpness) {
  const double capacity = cache_fraction * gpu.l2_capacity.value();
  if (capacity <= 0) return 0;
  const double ratio = bytes / capacity;
  if (ratio < 0.2) return 1;
  if (ratio > 5) return 0;
  return 1 / (1 + std::pow(ratio, sharpness));
}

TiledProduct rated_product(const Gemm& op, const GpuSpec& gpu, const GemmParameters& parameters) {
  const MatrixUnit unit = matrix_unit(op.scheme, gpu);
  const bool widened = unit.weight_only || weight_type(op.scheme) != activation_type(op.scheme);
  TiledProduct product = tiled_product(op, gpu);
  product.rate =
      unit.flop_per_clock_per_sm *
      (!unit.tensor ? parameters.core_efficiency
                    : parameters.tensor_efficiency * (widened ? parameters.weight_only_efficiency : 1.0));
  return product;
}

GemmTiling choose_tiling(const TiledProduct& product, const GpuSpec& gpu, const GemmParameters& parameters) {
  const double sms = double(gpu.sm_count), clock = gpu.boost_clock.value();
  const double steps = std::ceil(product.k / kStep);
  std::array<double, kColumnBlocks.size()> column_saturation{};
  for (std::size_t j = 0; j < kColumnBlocks.size(); ++j) {
    column_saturation[j] =
        kColumnBlocks[j] >= 128 ? 1 : std::pow(kColumnBlocks[j] / 128, parameters.tile_n_exponent);
  }
  GemmTiling best;
  double best_time = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < kRowBlocks.size(); ++i) {
    const double bm = double(kRowBlocks[i]);
    // One tile already holds all rows: a taller one only pads.
    if (i > 1 && product.row_tiles[i - 1] == product.row_tiles[i]) break;
    const double row_saturation = bm >= 128 ? 1 : std::pow(bm / 128, parameters.tile_m_exponent);
    for (std::size_t j = 0; j < kColumnBlocks.size(); ++j) {
      const double bn = kColumnBlocks[j];
      if (bm * bn > largest_tile(gpu) || bm * bn < 1024) continue;
      const TileCost cost = tile_cost(product, parameters, bm, bn, row_saturation * column_saturation[j]);
      const double columns = std::ceil(product.n / bn), tiles = product.row_tiles[i] * columns;
      for (const double split : kSplits) {
        if (split > 1 && (!product.may_split || tiles * split > 2 * sms || steps < 2 * split)) break;
        const double waves = std::ceil(tiles * split / sms);
        double time = waves * (cost.fixed_clocks + cost.clocks_per_step * std::ceil(steps / split)) / clock;
        if (split > 1) {
          time += parameters.split_time.value() + 8 * split * product.rows * product.n /
                                                      (parameters.warm_efficiency * gpu.l2_bandwidth.value());
        }
        if (time < best_time) {
          best_time = time;
          best = {.tile_m = kRowBlocks[i],
                  .tile_n = std::int64_t(bn),
                  .splits = std::int64_t(split),
                  .row_tiles = product.row_tiles[i],
                  .column_tiles = columns,
                  .waves = waves,
                  .tile_time = Seconds(time)};
        }
      }
    }
  }
  return best;
}

Seconds gemm_memory_time(const Gemm& op, const GpuSpec& gpu, const GemmParameters& p) {
  const Work work = gemm_work(op);
  const double weights = work.weight_bytes.value();
  const double activations =
      work.output_bytes.value() +
      (work.scratch_bytes.value() > 0 ? work.scratch_bytes.value() : work.input_bytes.value());
  const double working_set = op.weight_copies * weights + activations;
  const double weight_share = op.residency == Residency::Cold
                                  ? 0
                                  : resident_share(working_set, gpu, p.cache_fraction, p.cache_sharpness);
  const double activation_share = resident_share(activations, gpu, p.cache_fraction, p.cache_sharpness);
  const double from_dram = weights * (1 - weight_share) + activations * (1 - activation_share);
  const double from_l2 = weights * weight_share + activations * activation_share;
  return Seconds(from_dram / (p.dram_efficiency * gpu.memory_bandwidth.value()) +
                 from_l2 / (p.warm_efficiency * gpu.l2_bandwidth.value()));
}

Seconds gemm_structural_time(const Gemm& op, const GpuSpec& gpu, const GemmParameters& parameters,
                             GemmTiling* tiling) {
  const GemmTiling choice = choose_tiling(rated_product(op, gpu, parameters), gpu, parameters);
  if (tiling != nullptr) *tiling = choice;
  const double memory = gemm_memory_time(op, gpu, parameters).value();
  return parameters.launch_time +
         Seconds(power_norm(choice.tile_time.value(), memory, parameters.overlap_power) +
                 quantising_time(op, gpu, parameters));
}

}  // namespace warploom
