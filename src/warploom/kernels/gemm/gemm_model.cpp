#include "warploom/kernels/gemm/gemm_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/data_type.h"

namespace warploom {
namespace {

constexpr float kFullTile = 128;              // rows or columns from which a tile does not wait for operands
constexpr double kEpilogueResults = 32;       // that the constants of the epilogue are of
constexpr double kFeedBytes = 128;            // of an operand row in one step
constexpr std::int64_t kLargestTile = 32768;  // results that one SM's registers or tensor memory hold
constexpr double kLeastEvenSeconds = 1e-12;   // so that a balance exists
// What of an architecture decides its kernels.
struct Design {
  bool async = false;     // wgmma or tcgen05
  bool pairs = false;     // two SMs share a tile (tcgen05)
  bool graphics = false;  // one L2 partition behind GDDR memory
  double years = 0;       // of the SM's design after Hopper's
};

Design design_of(const GpuSpec& gpu) {
  return {.async = has_async_matrix_unit(gpu),
          .pairs = has_tensor_memory(gpu),
          .graphics = is_graphics_die(gpu),
          .years = years_since_hopper(gpu)};
}

double scheme_efficiency(MatmulScheme scheme, const GemmConstants& c) {
  switch (scheme) {
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
      return c.fp8_efficiency;
    case MatmulScheme::Fp8Block:
      return c.fp8_block_efficiency;
    case MatmulScheme::NvFp4:
    case MatmulScheme::MxFp4A8:
      return c.fp4_efficiency;
    case MatmulScheme::Int8:
      return c.int8_efficiency;
    case MatmulScheme::Int8WeightOnly:
    case MatmulScheme::Int4WeightOnly:
    case MatmulScheme::MxFp4A16:
      return c.weight_only_efficiency;
    default:
      return 1;
  }
}

bool chooses_narrow_tiles(MatmulScheme scheme, const Design& design) {
  return scheme == MatmulScheme::Fp8Block && design.async;
}

// Whether the kernels of a scheme come in this tile.
bool offers(MatmulScheme scheme, const Design& design, const GpuSpec& gpu, GemmTileShape tile) {
  const std::int64_t area = tile.rows * tile.columns;
  if (area > kLargestTile && !design.pairs) return false;
  if (chooses_narrow_tiles(scheme, design))
    return design.pairs ? tile.rows == 128 || tile.rows == 256 : tile.rows == 64 || tile.rows == 128;
  if (scheme == MatmulScheme::NvFp4 && gpu.tensor_rates.fp4 > 0)
    return (tile.rows == 128 || tile.rows == 256) && (design.pairs || tile.columns >= 128);
  return design.async || (tile.rows & (tile.rows - 1)) == 0;
}

// What the tiles are on every GPU.
struct TileSizes {
  GemmTileValues log_rows{}, log_columns{};  // log2(side / 128), at most 0
  std::array<double, kMostGemmTiles> results{};
  std::array<std::size_t, kMostGemmTiles> alike{};  // the first tile with the same logarithms
};
const TileSizes& tile_sizes() {
  static const TileSizes sizes = [] {
    TileSizes made;
    const auto log_share = [](std::int64_t side) {
      return std::min(0.0F, std::log2(float(side) / kFullTile));
    };
    for (std::size_t i = 0; i < kMostGemmTiles; ++i) {
      const GemmTileShape tile = gemm_tile_shape(i);
      made.log_rows[i] = log_share(tile.rows);
      made.log_columns[i] = log_share(tile.columns);
      made.results[i] = double(tile.rows * tile.columns);
      while (made.log_rows[made.alike[i]] != made.log_rows[i] ||
             made.log_columns[made.alike[i]] != made.log_columns[i])
        ++made.alike[i];
    }
    return made;
  }();
  return sizes;
}

double cube(double x) { return x * x * x; }
// 0 below a cache's size, 1 above.
double beyond(double power_of_fill) { return power_of_fill / (1 + power_of_fill); }

// What the tiles' seconds are made of: results of a tile on one SM, the share of its rate that it reaches;
// operations per clock of the matrix unit and of what feeds it; clocks a result.
struct TilePace {
  const std::array<double, kMostGemmTiles>&results, &saturation;
  double rate, feed_rate, epilogue, clock, slowdown;
};

// A loop without a branch, so that it becomes vectors: divisions are most of a model's cost.
void set_tile_seconds(const TilePace& pace, const GemmConstants& constants, GemmTileTerms& tiles) {
  const auto [results, saturation, rate, feed_rate, epilogue, clock, slowdown] = pace;
  const double depth = double(tiles.depth);
  const double step_clocks = constants.step_clocks, tile_clocks = constants.tile_clocks;
  const std::size_t count = tiles.tiles;
  for (std::size_t i = 0; i < count; ++i) {
    const double products = 2 * results[i] * depth / rate;
    const double feed = (1 / saturation[i] - 1) * 2 * results[i] * kFeedBytes / 2 / feed_rate;
    tiles.step_seconds[i] = float((products + feed + step_clocks) / clock);
    tiles.busy_seconds[i] = float((products * slowdown + feed + step_clocks) / clock);
    tiles.fixed_seconds[i] = float((tile_clocks + epilogue * results[i]) / clock);
  }
}

}  // namespace

GemmModel::GemmModel(MatmulScheme scheme, const GpuSpec& gpu, const GemmConstants& c) {
  const Design design = design_of(gpu);
  const DataType type = math_type(scheme);
  const LoadedClock loaded =
      clock_under_load(gpu, ClockRule::LargestPart, matrix_load(gpu, type, c.power), c.power);
  const double clock = loaded.hertz;
  input_bytes_ = bytes_per_element(activation_type(scheme));
  weight_bytes_ = bytes_per_element(weight_type(scheme));
  output_bytes_ = scheme == MatmulScheme::Fp32 || scheme == MatmulScheme::Tf32 ? 4 : 2;
  tiles_.depth =
      float(design.async ? kFeedBytes / input_bytes_ : std::min(kFeedBytes, kFeedBytes / input_bytes_));
  slowdown_ = loaded.slowdown;
  const double rate = tensor_rate_per_clock(gpu, type) * scheme_efficiency(scheme, c) *
                      (design.async ? c.async_efficiency : c.warp_efficiency);
  const auto xm = float(design.async ? c.async_row_exponent : c.warp_row_exponent);
  const auto xn = float(design.async ? c.async_column_exponent : c.warp_column_exponent);
  const double feed_rate = design.async ? c.async_feed : c.warp_feed;
  const double epilogue = (design.async ? c.async_epilogue : c.warp_epilogue) / kEpilogueResults;
  const TileSizes& sizes = tile_sizes();
  if (chooses_narrow_tiles(scheme, design)) tiles_.tiles = kMostGemmTiles;
  // Lanes beyond the last tile are priced with the rest and never chosen.
  tiles_.step_seconds.fill(1);
  tiles_.busy_seconds.fill(1);
  tiles_.fixed_seconds.fill(1);
  tiles_.blocks.fill(1);
  tiles_.offered.fill(std::numeric_limits<float>::infinity());
  std::array<double, kMostGemmTiles> results, saturation;
  for (std::size_t i = 0; i < tiles_.tiles; ++i) {
    const bool pair = design.pairs && sizes.results[i] > double(kLargestTile);
    tiles_.blocks[i] = pair ? 2 : 1;
    results[i] = sizes.results[i] / (pair ? 2 : 1);
    // Powers are dear, and half of the tiles have that of a tile before.
    saturation[i] = sizes.alike[i] < i
                        ? saturation[sizes.alike[i]]
                        : double(std::exp2(xm * sizes.log_rows[i] + xn * sizes.log_columns[i]));
    tiles_.offered[i] =
        offers(scheme, design, gpu, gemm_tile_shape(i)) ? 0.0F : std::numeric_limits<float>::infinity();
  }
  set_tile_seconds({results, saturation, rate, feed_rate, epilogue, clock, slowdown_}, c, tiles_);
  tiles_.tail = float(c.tail);
  tiles_.shown = design.pairs ? float(c.epilogue_shown) : 1.0F;
  tiles_.sms = float(gpu.sm_count);
  // Kernels of scaled types come without split reductions.
  tiles_.may_split = type != DataType::Fp8 && type != DataType::NvFp4 && type != DataType::MxFp4;
  quantises_ = quantises_activations(scheme);
  tiles_.split_seconds = c.split_seconds;
  memory_bandwidth_ = gpu.memory_bandwidth.value();
  dram_rate_ = c.dram_share * memory_bandwidth_;
  tiles_.l2_rate = (design.graphics ? c.graphics_l2_bytes : c.l2_bytes) * double(gpu.sm_count) * clock;
  cache_bytes_ = (design.graphics ? c.graphics_cache : c.cache) * gpu.l2_capacity.value();
  activation_cache_bytes_ = c.activation_cache * gpu.l2_capacity.value();
  dram_latency_ = c.dram_latency;
  overlap_ = c.overlap;
  // One kernel after its like starts ever earlier on newer parts; a pass in between takes that back.
  const double years = quantises_ ? 0 : design.years;
  launch_seconds_ = (c.launch_seconds + c.launch_clocks / clock) * (1 - c.launch_trend * years);
  const bool blocked = scheme == MatmulScheme::Fp8Block || type == DataType::NvFp4;
  quantise_seconds_ = blocked ? c.block_quantise_seconds : c.quantise_seconds;
  quantise_share_ = c.quantise_share;
}

void GemmModel::price_memory(const Gemm& op, GemmPrice& price) const {
  const double m = double(op.m), n = double(op.n), k = double(op.k), batch = double(op.batch);
  const double weights = weight_bytes_ * n * k * batch;
  const double activations = (input_bytes_ * m * k + output_bytes_ * m * n) * batch;
  price.cold_share = 1;
  if (op.residency == Residency::Warm) {
    const double fill = cube((op.weight_copies * weights + activations) / cache_bytes_);
    price.cold_share = beyond(fill * fill);
  }
  const double spilled = beyond(cube(activations / activation_cache_bytes_));
  const double from_dram = weights * price.cold_share + activations * spilled;
  const double from_l2 = weights * (1 - price.cold_share) + activations * (1 - spilled);
  price.memory_seconds = from_dram / dram_rate_ + from_l2 / tiles_.l2_rate + dram_latency_ * price.cold_share;
  price.quantise_seconds = 0;
  if (!quantises_) return;
  const double bytes = m * k * batch * (2 + input_bytes_);
  const double share = beyond(cube(bytes / cache_bytes_));
  price.quantise_seconds =
      quantise_seconds_ +
      bytes / quantise_share_ * (share / memory_bandwidth_ + (1 - share) / (2 * tiles_.l2_rate));
}

double GemmModel::balance(const Gemm& op, const GemmPrice& price) const {
  const GemmTileTerms& t = tiles_;
  const double rounds = std::ceil(price.waves);
  const double effective = rounds - (price.waves > 1 ? double(t.tail) * (rounds - price.waves) : 0);
  const double steps = std::ceil(std::ceil(double(op.k) / double(t.depth)) / price.splits);
  const auto seconds = [&](double waves) {
    return steps * std::max(waves * double(t.step_seconds[price.tile]),
                            price.waves * double(t.busy_seconds[price.tile])) +
           double(t.fixed_seconds[price.tile]) * (1 + (waves - 1) * double(t.shown));
  };
  const double idle = seconds(effective) - seconds(price.waves);
  return price.tile_seconds / std::max(price.tile_seconds - std::max(idle, 0.0), kLeastEvenSeconds);
}

void GemmModel::price(const Gemm& op, GemmPrice& price) const {
  price_gemm_tiles(tiles_, double(op.m), double(op.n), double(op.k), double(op.batch), price);
  price_memory(op, price);
  const double high = std::max(price.tile_seconds, price.memory_seconds);
  const double low = std::min(price.tile_seconds, price.memory_seconds);
  // In single precision: a millionth of the time, at a third of the cost.
  const auto power = float(overlap_);
  const double both = high * double(std::pow(1 + std::pow(float(low / high), power), 1 / power));
  price.launch_seconds = launch_seconds_;
  price.seconds = launch_seconds_ + both + price.quantise_seconds;
}

}  // namespace warploom
