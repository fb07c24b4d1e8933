#include "warploom/kernels/moe/moe_base.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/moe/moe_constants.h"
#include "warploom/kernels/moe/moe_source_tiles.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

constexpr double kColumns = 128;          // of a tile
constexpr double kTallRows = 128;         // of the tile whose rate rate_share is of
constexpr double kKeptActivations = 0.5;  // of L2, that keeps rows between the kernels of one call
// FlashInfer's CUTLASS kernels untuned: columns of the first tile in Hopper's list, and the share of L2's
// bandwidth at which operands come that nothing shares.
constexpr double kFirstTileRows = 128, kFirstTileColumns = 16, kUnsharedL2 = 0.9;

// mma.sync against the unit that newer parts add beside it (wgmma, tcgen05).
constexpr double kWarpRateOnHopper = 0.63, kWarpRateOnBlackwell = 0.25;
// Triton's loops feed tcgen05 without a warp of their own.
constexpr double kTritonRateOnBlackwell = 0.5;

// Share of the matrix rate that a build's instructions reach.
double instruction_rate(KnownKernel kernel, const GpuSpec& gpu) {
  const bool blackwell = has_tensor_memory(gpu);
  if (kernel == KnownKernel::MoeMarlin) {
    if (blackwell) return kWarpRateOnBlackwell;
    return has_wgmma(gpu) ? kWarpRateOnHopper : 1;
  }
  return kernel == KnownKernel::MoeTriton && blackwell ? kTritonRateOnBlackwell : 1;
}

// Engines that do not let FlashInfer tune run the first tactic of its list, on Hopper a tile of 128 rows and
// 16 columns; block-scaled fp8 has a kernel of its own.
bool takes_first_tile(KnownKernel kernel, const GpuSpec& gpu, MatmulScheme scheme) {
  return kernel == KnownKernel::MoeFlashinferCutlass && has_wgmma(gpu) && scheme != MatmulScheme::Fp8Block;
}

// Time of the products, and if their tiles kept every SM busy to the end.
struct ProductTime {
  double seconds = 0, even = 0;
};

// What every height of tile shares; what must be divided by is divided by once.
struct Products {
  const MoeSizes& sizes;
  const MoeConstants& constants;
  double depth;  // inner length of the first product
  double sms, clock, rate, weight_bytes, activation_bytes;
  double columns = kColumns, chain_share = 1;  // of a tile; of the usual wait for operands
  double per_sm = 1 / sms, per_clock = 1 / clock, per_feed_byte = 1 / constants.feed_bytes;
  // Clocks of a row: `rate` is reached with tiles of kTallRows, and half of it at half_rows.
  double per_row = 2 * kTallRows / (rate * (kTallRows + constants.half_rows));
  double gate_tiles = ceil_div(sizes.gate_outputs, columns);  // across
  double down_tiles = ceil_div(sizes.down_outputs, columns);

  Products with_tile(double tile_columns, double wait) const {
    return {sizes, constants, depth, sms, clock, rate, weight_bytes, activation_bytes, tile_columns, wait};
  }

  ProductTime time(double height, double tiles) const {
    const double math = columns * (height + constants.half_rows) * per_row;
    const double feed = (height * activation_bytes + columns * weight_bytes) * per_feed_byte;
    return passes(tiles, std::max(math, feed) + constants.step_cycles);
  }

  // `tiles`: of all experts, down.
  ProductTime passes(double tiles, double per_step) const {
    ProductTime cycles;
    if (gate_tiles > 0) add_pass(tiles * gate_tiles, depth, per_step, cycles);
    if (down_tiles > 0) add_pass(tiles * down_tiles, sizes.width, per_step, cycles);
    return {cycles.seconds * per_clock, cycles.even * per_clock};
  }

  // At least one tile after the other's operands, nothing else on its SM.
  void add_pass(double tiles, double inner, double per_step, ProductTime& cycles) const {
    const double waves = tiles * per_sm, of_tile = per_step * inner + constants.prologue_cycles;
    const double rounded = std::max(waves + constants.wave_rounding * (std::ceil(waves) - waves), 1.0);
    cycles.seconds +=
        std::max(rounded * of_tile, inner * chain_share * constants.chain_cycles + constants.prologue_cycles);
    cycles.even += waves * of_tile;
  }
};

// With the first tile of FlashInfer's list: operands from L2 set the pace. `l2_rate` of all SMs.
ProductTime first_tile_time(const Products& products, double tiles, double l2_rate) {
  const double per_sm = kUnsharedL2 * l2_rate / (products.sms * products.clock);
  const double per_step =
      (kFirstTileRows * products.activation_bytes + kFirstTileColumns * products.weight_bytes) / per_sm +
      products.constants.step_cycles;
  return products.with_tile(kFirstTileColumns, 0).passes(tiles, per_step);
}

// The height that Marlin takes: the least that keeps experts under 0.9 full, at most 64 (vLLM,
// fused_marlin_moe.py).
ProductTime price_marlin(const Products& products, const RoutingLoad& load, double pairs_per_expert,
                         MoeBase& base) {
  constexpr double kFull = 0.9, kTallest = 64;
  const std::array<std::pair<double, double>, 4> lower{
      {{8, load.row_tiles[0]}, {16, load.row_tiles[1]}, {32, load.row_tiles[2]}, {48, load.row_tiles_48}}};
  for (const auto& [height, tiles] : lower)
    if (pairs_per_expert / height < kFull) {
      base.tile_rows = height;
      return products.time(height, tiles);
    }
  base.tile_rows = kTallest;
  return products.time(kTallest, load.row_tiles[3]);
}

// Share of the launches that one product alone has: the public rows of one pass time its kernel and
// nothing around it.
constexpr double kLaunchOfPass = 0.2;

// Products with each height; answers those with the tile that the kernel takes.
ProductTime price_products(const FusedMoe& op, const GpuSpec& gpu, KnownKernel kernel,
                           const RankWorkload& work, const Products& products, MoeBase& base) {
  const RoutingLoad& load = work.load;
  ProductTime taken{.seconds = std::numeric_limits<double>::infinity()};
  base.tile_columns = kColumns;
  constexpr std::array<std::size_t, kMoeHeights.size()> kBlock{1, 2, 3, 4};  // in kRowBlocks
  for (std::size_t i = 0; i < kMoeHeights.size(); ++i) {
    const ProductTime time = products.time(kMoeHeights[i], load.row_tiles[kBlock[i]]);
    base.by_height[i] = time.seconds;
    if (time.seconds >= taken.seconds) continue;
    taken = time;
    base.tile_rows = kMoeHeights[i];
  }
  if (takes_first_tile(kernel, gpu, op.scheme)) {
    taken = first_tile_time(products, load.row_tiles[kBlock[3]], gpu.l2_bandwidth.value());
    base.tile_rows = kFirstTileRows;
    base.tile_columns = kFirstTileColumns;
  }
  if (kernel == KnownKernel::MoeMarlin)
    taken = price_marlin(products, load, work.choices / products.sizes.held, base);
  const bool one_pass = kernel == KnownKernel::MoeTriton && op.pass != MoePass::Both;
  if (!work.untuned && !one_pass) return taken;
  const SourceTile tile =
      one_pass ? pipeweave_tile(op, gpu) : sglang_default_tile(op, work.tokens, products.sizes.held);
  base.tile_rows = tile.rows;
  base.tile_columns = tile.columns;
  return products.with_tile(tile.columns, tile.chain_share).time(tile.rows, load.row_tiles[tile.block]);
}

// (a^3 + b^3)^(1/3) of positive numbers, to 1e-15: a start from the chord of the cube root, then two of
// Halley's steps; a third of the library's time.
double cube_sum(double a, double b) {
  const double high = std::max(a, b), share = std::min(a, b) / high, sum = 1 + share * share * share;
  double root = 0.7401 + 0.26 * sum;
  for (int step = 0; step < 2; ++step) {
    const double cube = root * root * root;
    root *= (cube + 2 * sum) / (2 * cube + sum);
  }
  return high * root;
}

}  // namespace

MoeSizes moe_sizes(const FusedMoe& op, const RoutingLoad& load) {
  const double width = double(op.intermediate) / double(op.tensor_parallel), hidden = double(op.hidden);
  MoeSizes sizes{};
  sizes.width = width;
  sizes.gate_outputs = (op.pass == MoePass::Down ? 0.0 : (op.gated ? 2.0 : 1.0)) * width;
  sizes.down_outputs = op.pass == MoePass::GateUp ? 0.0 : hidden;
  sizes.expert_weights = sizes.gate_outputs * hidden + sizes.down_outputs * width;
  sizes.weight_bytes = load.experts_hit * sizes.expert_weights * bytes_per_element(weight_type(op.scheme));
  sizes.held = std::max(load.experts_held, 1.0);
  return sizes;
}

MoeBase moe_base(const FusedMoe& op, const GpuSpec& gpu, KnownKernel kernel, const RankWorkload& work,
                 const MoeSizes& sizes, double sustained, const BaseConstants& fitted) {
  const RoutingLoad& load = work.load;
  const MoeConstants c = moe_constants_of(kernel, op.scheme, fitted);
  // Whatever does not draw the power of full matrix units runs at the highest clock.
  const double clock = clock_under_load(gpu, ClockRule::Highest).hertz, sms = double(gpu.sm_count);
  const double l2 = gpu.l2_capacity.value(), hidden = double(op.hidden);
  const double dram =
      c.dram_share * (has_stacked_memory(gpu) ? c.stacked_dram : 1.0) * gpu.memory_bandwidth.value();
  const double from_l2 = c.l2_bytes * sms * clock;
  const double activation_bytes = bytes_per_element(activation_type(op.scheme));
  const Products products{sizes,
                          c,
                          hidden,
                          sms,
                          clock,
                          tensor_rate_per_clock(gpu, math_type(op.scheme)) * instruction_rate(kernel, gpu) *
                              c.rate_share * sustained / gpu.clock_headroom(),
                          bytes_per_element(weight_type(op.scheme)),
                          activation_bytes};
  MoeBase base;
  const ProductTime taken = price_products(op, gpu, kernel, work, products, base);
  base.products = taken.seconds;
  base.balance = taken.even > 0 ? std::max(1.0, taken.seconds / taken.even) : 1;
  const double filled = sizes.weight_bytes / (c.resident_share * l2), square = filled * filled;
  const double fourth = square * square;
  const double streamed = 1 / dram + 1 / (c.stream_bytes * sms * clock);
  base.weights = sizes.weight_bytes * (fourth * streamed + 1 / from_l2) / (1 + fourth);
  const double spread = 1 / dram + 1 / (c.spread_bytes * sms * clock);
  const auto move = [&](double bytes) {
    const double over = bytes / (kKeptActivations * l2), beyond = over * over;
    return bytes * (beyond * spread + 1 / from_l2) / (1 + beyond);
  };
  base.pairs_moved =
      move(load.pairs * (c.pair_hidden * hidden * (2 + activation_bytes) + c.pair_width * sizes.width * 4));
  base.choices_moved = move(work.tokens * c.token_hidden * hidden * 4 +
                            work.choices * 2 * (c.choice_hidden * hidden + c.choice_width * sizes.width));
  base.launch = (op.pass == MoePass::Both ? 1.0 : kLaunchOfPass) * c.launch_cycles / clock;
  const double moved = base.pairs_moved + base.choices_moved;
  base.total = base.launch + cube_sum(base.products, base.weights) + base.pairs_moved + base.choices_moved;
  base.cold_weights = std::max(base.weights, sizes.weight_bytes * streamed);
  base.cold_total = base.launch + cube_sum(base.products, base.cold_weights) + moved;
  return base;
}

}  // namespace warploom
