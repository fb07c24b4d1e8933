// GEMM: the structural model (kernels/gemm/gemm_model.h) as base; its parts and the shape as features.
// Where the kernel is known, its exact structure (kernels/gemm/block_scaled_hopper.h), with fewer features.
#include <algorithm>
#include <bit>

#include "warploom/kernels/gemm/block_scaled_hopper.h"
#include "warploom/kernels/gemm/gemm_constants.h"
#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

// log2 of the largest power of two that divides a size, at most 8.
int alignment(std::int64_t size) { return std::min(std::countr_zero(std::uint64_t(size)), 8); }

// Shared tiles whose times the learners see: rows 16 to 256 in powers of two, 64 to 256 columns.
constexpr std::array<std::size_t, 12> kShown{
    shared_gemm_tile(0, 0), shared_gemm_tile(1, 0), shared_gemm_tile(3, 0), shared_gemm_tile(3, 1),
    shared_gemm_tile(5, 0), shared_gemm_tile(5, 1), shared_gemm_tile(3, 2), shared_gemm_tile(5, 2),
    shared_gemm_tile(8, 1), shared_gemm_tile(1, 1), shared_gemm_tile(0, 1), shared_gemm_tile(8, 2)};

// How full the waves and the padded tiles of a few tilings are. Sizes are powers of two, so tiles are counted
// by shifts.
void add_fills(const Gemm& op, const GpuSpec& gpu, OperatorFeatures& row) {
  constexpr std::array<std::array<int, 2>, 4> kLogTiles{{{7, 7}, {7, 8}, {6, 6}, {8, 7}}};
  const auto tiles = [](std::int64_t size, int log_tile) {
    return (size + (1LL << log_tile) - 1) >> log_tile;
  };
  const double batch = double(op.batch), sms = double(gpu.sm_count);
  for (const auto& [rows, columns] : kLogTiles) {
    const double waves = double(tiles(op.m, rows)) * double(tiles(op.n, columns)) * batch / sms;
    row.add(std::min(waves, 32.0));
    row.add_part(wave_fill(waves));
  }
  row.add_part(double(op.m) / double(tiles(op.m, 7) << 7));
  row.add_part(double(op.n) / double(tiles(op.n, 7) << 7));
}

void add_gemm(const Gemm& op, const GpuSpec& gpu, const GemmModel& model, OperatorFeatures& row) {
  GemmPrice price;
  model.price(op, price);
  const double base = price.seconds, per_base = 1 / base;
  row.log_base = std::log(base);
  row.rows = double(op.m) * double(op.batch);

  const double m = double(op.m), n = double(op.n), k = double(op.k), batch = double(op.batch);
  const double output_bytes = op.scheme == MatmulScheme::Fp32 || op.scheme == MatmulScheme::Tf32 ? 4 : 2;
  const double weights = model.weight_bytes() * n * k * batch;
  const double activations = (model.input_bytes() * m * k + output_bytes * m * n) * batch;
  const double l2 = gpu.l2_capacity.value();
  const double footprint =
      op.residency == Residency::Cold ? 1e3 * l2 + weights : op.weight_copies * weights + activations;
  const double peak_seconds =
      2 * m * n * k * batch / gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(op.scheme))).value();
  const double stream_seconds = (weights + activations) / gpu.memory_bandwidth.value();

  row.add(int(op.scheme == MatmulScheme::Fp16 ? MatmulScheme::Bf16 : op.scheme));
  row.add_log2(m);
  row.add_log2(n);
  row.add_log2(k);
  row.add_log2(m * n * batch);
  row.add_log2(n * k);
  row.add_log2(m * k);
  row.add_log2(m * n * k * batch);
  row.add_log2(batch);
  row.add_part(alignment(op.m));
  row.add_part(alignment(op.n));
  row.add_part(alignment(op.k));
  row.add_log2(peak_seconds * per_base);
  row.add_log2(price.memory_seconds * per_base);
  row.add_log2(stream_seconds * per_base);
  row.add_log2(price.tile_seconds * per_base);
  row.add_log2(price.quantise_seconds * per_base);
  row.add_log2(price.launch_seconds * per_base);
  row.add_log2(base);
  row.add(price.cold_share);
  // Beyond eight times the cache nothing changes; Cold operators sit there.
  row.add_log2(std::min(footprint / l2, 8.0));
  row.add_log2(activations / l2);
  const GemmTileShape tile = gemm_tile_shape(price.tile);
  row.add_log2(double(tile.rows));
  row.add_log2(double(tile.columns));
  row.add_log2(double(price.splits));
  row.add_log2(price.waves);
  row.add_part(1 / wave_fill(price.waves));
  for (const std::size_t shown : kShown) row.add_log2(double(price.by_tile[shown]) * per_base);
  add_fills(op, gpu, row);
}

void add_block_scaled_hopper(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted,
                             OperatorFeatures& row) {
  const BlockScaledHopperBase s = block_scaled_hopper_base(op, gpu, fitted);
  const double base = s.seconds, l2 = gpu.l2_capacity.value();
  row.log_base = std::log(base);
  row.add_log2(double(op.m * op.batch));
  row.add_log2(double(op.n));
  row.add_log2(double(op.k));
  row.add(std::min(s.row_tiles, 64.0));
  row.add(s.column_pairs);
  row.add(s.steps);
  row.add_log2(s.waves);
  row.add_part(wave_fill(s.rounds));
  row.add_part(s.busy);
  row.add_log2(s.compute / base);
  row.add_log2(s.memory / base);
  row.add(s.launch / base);
  row.add_part(double((op.m - 1) % kBlockScaledTile + 1));
  row.add_part(double(op.n % kBlockScaledClusterColumns));
  row.add_log2(s.feed / s.step);
  row.add_log2((s.inputs + s.weights + s.outputs) / l2);
  row.add_log2(s.weights / l2);
  row.add_log2(s.rounds);
  row.add_log2(s.math / s.step);
}

// How many features add_gemm adds.
int gemm_features(const GpuSpec& gpu) {
  static const int count = [&gpu] {
    OperatorFeatures row;
    const Gemm gemm;
    add_gemm(gemm, gpu, GemmModel(gemm.scheme, gpu), row);
    return row.count;
  }();
  return count;
}

void add_product(const Gemm& op, const FeatureInput& input, OperatorFeatures& row) {
  if (input.kernel.known != KnownKernel::None && describes(input.kernel.known, op)) {
    add_block_scaled_hopper(op, input.gpu, input.fitted, row);
    for (const int count = gemm_features(input.gpu); row.count < count;) row.add(0.0);
  } else if (input.gemm != nullptr) {
    add_gemm(op, input.gpu, *input.gemm, row);
  } else {
    add_gemm(op, input.gpu, GemmModel(op.scheme, input.gpu, gemm_constants_of(input.fitted)), row);
  }
}

constexpr std::array kSources{feature_source<Gemm, add_product>({.trees = 288, .depth = 7})};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kGemmFeatures = features::kSources;
}  // namespace warploom
