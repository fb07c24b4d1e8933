#include "warploom/kernels/gemm_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "warploom/kernels/data_type.h"

namespace warploom {
namespace {

constexpr std::array<std::int64_t, 9> kRows{16, 32, 48, 64, 96, 128, 160, 192, 256};
constexpr std::array<std::int64_t, 3> kColumns{64, 128, 256};
// Tiles of kernels that fit the tile's width to the number of SMs (DeepGEMM).
constexpr std::array<std::int64_t, 3> kNarrowRows{64, 128, 256};
constexpr std::array<std::int64_t, 7> kNarrowColumns{16, 32, 48, 96, 112, 160, 192};

constexpr auto kTiles = [] {
  std::array<GemmTileShape, kMostGemmTiles> tiles{};
  std::size_t i = 0;
  for (const auto rows : kRows)
    for (const auto columns : kColumns) tiles[i++] = {rows, columns};
  for (const auto rows : kNarrowRows)
    for (const auto columns : kNarrowColumns) tiles[i++] = {rows, columns};
  return tiles;
}();
static_assert(kRows.size() * kColumns.size() == kSharedGemmTiles);

constexpr double kFeedBytes = 128;            // of an operand row in one step
constexpr std::int64_t kLargestTile = 32768;  // results that one SM's registers or tensor memory hold
// Reciprocals and log2(size / 128), at most 0.
struct TileTerms {
  std::array<float, kMostGemmTiles> per_row{}, per_column{}, log_rows{}, log_columns{};
};
const TileTerms& tile_terms() {
  static const TileTerms terms = [] {
    TileTerms t;
    for (std::size_t i = 0; i < kMostGemmTiles; ++i) {
      t.per_row[i] = 1.0F / float(kTiles[i].rows);
      t.per_column[i] = 1.0F / float(kTiles[i].columns);
      t.log_rows[i] = std::min(0.0F, std::log2(float(kTiles[i].rows) / 128));
      t.log_columns[i] = std::min(0.0F, std::log2(float(kTiles[i].columns) / 128));
    }
    return t;
  }();
  return terms;
}

// What of an architecture decides its kernels.
struct Design {
  bool async = false;     // wgmma or tcgen05
  bool pairs = false;     // two SMs share a tile (tcgen05)
  bool graphics = false;  // one L2 partition behind GDDR memory
  double years = 0;       // of launch after 2022
};

Design design_of(const GpuSpec& gpu) {
  if (gpu.vendor == Vendor::Amd) return {};
  const auto capability = int(gpu.compute_capability);
  if (capability >= 120) return {.graphics = true, .years = 3};
  if (capability >= 100) return {.async = true, .pairs = true, .years = 2};
  if (capability >= 90) return {.async = true};
  if (capability >= 86) return {.graphics = true};
  if (capability >= 80) return {.years = -2};
  return {.years = -4};
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
  if (scheme == MatmulScheme::NvFp4 && gpu.compute_capability >= 100)
    return (tile.rows == 128 || tile.rows == 256) && (design.pairs || tile.columns >= 128);
  return design.async || (tile.rows & (tile.rows - 1)) == 0;
}

// Four tiles at a time, in vectors that every processor has.
using Floats = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;
static_assert(kMostGemmTiles % kLanes == 0);

Floats at(const std::array<float, kMostGemmTiles>& values, std::size_t i) {
  Floats four;
  std::memcpy(&four, values.data() + i, sizeof four);
  return four;
}
void put(std::array<float, kMostGemmTiles>& values, std::size_t i, const Floats& four) {
  std::memcpy(values.data() + i, &four, sizeof four);
}
Floats most(const Floats& a, const Floats& b) { return a > b ? a : b; }
Floats all(float value) { return Floats{value, value, value, value}; }

// Of positive numbers below 2^31; one part in four million above a whole number counts as that number.
Floats ceil_of(const Floats& x) {
  const Floats slightly_less = x * (1 - 2.4e-7F);
  const Floats whole = __builtin_convertvector(__builtin_convertvector(slightly_less, Ints), Floats);
  return whole + (slightly_less > whole ? all(1) : all(0));
}

// Rounds of the SMs, less `tail` of the part of the last that is empty.
Floats effective_waves(const Floats& waves, float tail) {
  const Floats rounds = ceil_of(waves);
  return rounds - (waves > 1 ? tail * (rounds - waves) : all(0));
}

double cube(double x) { return x * x * x; }
// 0 below a cache's size, 1 above.
double beyond(double power_of_fill) { return power_of_fill / (1 + power_of_fill); }

}  // namespace

GemmTileShape gemm_tile_shape(std::size_t index) { return kTiles[index]; }

GemmModel::GemmModel(MatmulScheme scheme, const GpuSpec& gpu, const GemmConstants& c) {
  const Design design = design_of(gpu);
  const DataType type = math_type(scheme);
  const double clock = gpu.boost_clock.value();
  input_bytes_ = bytes_per_element(activation_type(scheme));
  weight_bytes_ = bytes_per_element(weight_type(scheme));
  output_bytes_ = scheme == MatmulScheme::Fp32 || scheme == MatmulScheme::Tf32 ? 4 : 2;
  depth_ = float(design.async ? kFeedBytes / input_bytes_ : std::min(kFeedBytes, kFeedBytes / input_bytes_));
  slowdown_ = power_slowdown(gpu, type, c.power);
  const double rate = tensor_rate_per_clock(gpu, type) * scheme_efficiency(scheme, c) *
                      (design.async ? c.async_efficiency : c.warp_efficiency);
  const auto xm = float(design.async ? c.async_row_exponent : c.warp_row_exponent);
  const auto xn = float(design.async ? c.async_column_exponent : c.warp_column_exponent);
  const double feed_rate = design.async ? c.async_feed : c.warp_feed;
  const double epilogue = (design.async ? c.async_epilogue : c.warp_epilogue) / 32;
  const TileTerms& terms = tile_terms();
  if (chooses_narrow_tiles(scheme, design)) tiles_ = kMostGemmTiles;
  // Lanes beyond the last tile are priced with the rest and never chosen.
  step_seconds_.fill(1);
  busy_seconds_.fill(1);
  fixed_seconds_.fill(1);
  blocks_.fill(1);
  offered_.fill(std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < tiles_; ++i) {
    const GemmTileShape tile = kTiles[i];
    const bool pair = design.pairs && tile.rows * tile.columns > kLargestTile;
    blocks_[i] = pair ? 2 : 1;
    const double results = double(tile.rows * tile.columns) / (pair ? 2 : 1);
    const double saturation = double(std::exp2(xm * terms.log_rows[i] + xn * terms.log_columns[i]));
    const double products = 2 * results * double(depth_) / rate;
    const double feed = (1 / saturation - 1) * 2 * results * kFeedBytes / 2 / feed_rate;
    step_seconds_[i] = float((products + feed + c.step_clocks) / clock);
    busy_seconds_[i] = float((products * slowdown_ + feed + c.step_clocks) / clock);
    fixed_seconds_[i] = float((c.tile_clocks + epilogue * results) / clock);
    offered_[i] = offers(scheme, design, gpu, tile) ? 0.0F : std::numeric_limits<float>::infinity();
  }
  tail_ = float(c.tail);
  shown_ = design.pairs ? float(c.epilogue_shown) : 1.0F;
  sms_ = float(gpu.sm_count);
  // Kernels of scaled types come without split reductions.
  may_split_ = type != DataType::Fp8 && type != DataType::NvFp4 && type != DataType::MxFp4;
  quantises_ = quantises_activations(scheme);
  split_seconds_ = c.split_seconds;
  memory_bandwidth_ = gpu.memory_bandwidth.value();
  dram_rate_ = c.dram_share * memory_bandwidth_;
  l2_rate_ = (design.graphics ? c.graphics_l2_bytes : c.l2_bytes) * gpu.sm_cycles_per_second();
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

void GemmModel::price_tiles(const Gemm& op, GemmPrice& price) const {
  const TileTerms& terms = tile_terms();
  const auto m = float(op.m), n = float(op.n), batch = float(op.batch);
  const float steps = std::ceil(float(op.k) / depth_), per_sm = 1 / sms_, most_split_blocks = 2 * sms_;
  const std::size_t padded = (tiles_ + kLanes - 1) / kLanes * kLanes;
  alignas(16) std::array<float, kMostGemmTiles> blocks, splits, offered;
  Floats fewest = all(std::numeric_limits<float>::max());
  for (std::size_t i = 0; i < padded; i += kLanes) {
    const Floats grid =
        ceil_of(m * at(terms.per_row, i)) * ceil_of(n * at(terms.per_column, i)) * at(blocks_, i) * batch;
    const Floats count = grid < 1e9F ? grid : all(1e9F);
    const Floats waves = count * per_sm, effective = effective_waves(waves, tail_);
    put(blocks, i, count);
    put(price.wave_count, i, waves);
    put(price.by_tile, i,
        steps * most(effective * at(step_seconds_, i), waves * at(busy_seconds_, i)) +
            at(fixed_seconds_, i) * (1 + (effective - 1) * shown_));
    put(splits, i, all(1));
    fewest = count < fewest ? count : fewest;
  }
  const float fewest_blocks = std::min(std::min(fewest[0], fewest[1]), std::min(fewest[2], fewest[3]));
  const double partial_sums = 8.0 * double(op.m) * double(op.n) * double(op.batch) / l2_rate_;
  for (float s = 2; may_split_ && s <= 8 && steps >= 2 * s && fewest_blocks * s <= most_split_blocks;
       s *= 2) {
    const auto extra = float(split_seconds_ + double(s) * partial_sums);
    const float part = std::ceil(steps / s);
    for (std::size_t i = 0; i < padded; i += kLanes) {
      const Floats count = at(blocks, i) * s, waves = count * per_sm, before = at(price.by_tile, i);
      const Floats effective = effective_waves(waves, tail_);
      const Floats time = part * most(effective * at(step_seconds_, i), waves * at(busy_seconds_, i)) +
                          at(fixed_seconds_, i) * (1 + (effective - 1) * shown_) + extra;
      const auto better = (time < before) & (count <= most_split_blocks);
      put(price.by_tile, i, better ? time : before);
      put(price.wave_count, i, better ? waves : at(price.wave_count, i));
      put(splits, i, better ? all(s) : at(splits, i));
    }
  }
  Floats least = all(std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < padded; i += kLanes) {
    const Floats time = at(price.by_tile, i) + at(offered_, i);
    put(offered, i, time);
    least = time < least ? time : least;
  }
  const float best = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  price.tile = std::size_t(std::find(offered.begin(), offered.begin() + std::ptrdiff_t(tiles_), best) -
                           offered.begin());
  if (price.tile == tiles_) price.tile = 0;
  price.tile_seconds = double(best);
  price.splits = int(splits[price.tile]);
  price.waves = double(price.wave_count[price.tile]);
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
  price.memory_seconds = from_dram / dram_rate_ + from_l2 / l2_rate_ + dram_latency_ * price.cold_share;
  price.quantise_seconds = 0;
  if (!quantises_) return;
  const double bytes = m * k * batch * (2 + input_bytes_);
  const double share = beyond(cube(bytes / cache_bytes_));
  price.quantise_seconds = quantise_seconds_ + bytes / quantise_share_ *
                                                   (share / memory_bandwidth_ + (1 - share) / (2 * l2_rate_));
}

void GemmModel::price(const Gemm& op, GemmPrice& price) const {
  price_tiles(op, price);
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
