#include "warploom/tuner/block_scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_class.h"

namespace warploom {
namespace {

constexpr std::int64_t kThreadsPerWarp = 32;
constexpr std::int64_t kMostRegisters = 255;
// Addresses, scales and the loop take so many of a thread, beside two sums of each element.
constexpr std::int64_t kOtherRegisters = 40;
// A product with one scale and an addition with the other, where instructions of a warp yield few elements.
constexpr double kOperations = 2;

// `sums` of each element.
std::int64_t registers_of(const TileConfig& config, std::int64_t sums) {
  const std::int64_t elements = std::int64_t{config.tile_m} * config.tile_n;
  return sums * elements / (kThreadsPerWarp * config.warps) + kOtherRegisters;
}

// Where the matrix unit yields whole tiles, steps of a part of a block scale and add its sums several times:
// never within 9 % of the best of 376 timed sets of configurations on an H100 and an H200
// (tests/fixtures/tuner: block_products, expert_products), and 2 % of the rows that engines ship for Hopper.
bool holds(const TileConfig& config, std::int64_t block_k, bool whole_tiles) {
  const bool steps = whole_tiles ? config.tile_k == block_k : block_k % config.tile_k == 0;
  return steps && registers_of(config, whole_tiles ? 2 : 1) <= kMostRegisters;
}

}  // namespace

void add_block_scales(WaveModel& model, const GpuSpec& gpu, std::int64_t block_k,
                      const BlockScaleRule& rule) {
  // Instructions of a warp yield few elements at a time, which are scaled and added one after another.
  const bool whole_tiles = has_async_matrix_unit(gpu);
  const std::int64_t sums = whole_tiles ? 2 : 1;
  std::erase_if(model.configs,
                [&](const FittedConfig& fitted) { return !holds(fitted.config, block_k, whole_tiles); });
  if (model.configs.empty())
    throw InvalidInput(fmt::format("'{}' on {}: no configuration whose steps fit blocks of {}",
                                   model.kernel.name, gpu.name, block_k));
  const double clocks_per_us = gpu.boost_clock.value() * 1e-6;
  for (FittedConfig& fitted : model.configs) {
    const TileConfig& config = fitted.config;
    const double elements = double(config.tile_m) * config.tile_n;
    const double operations = whole_tiles ? rule.tile_operations : kOperations;
    const auto scaling = static_cast<float>(operations * elements / gpu.fma_lanes / clocks_per_us);
    const auto load = static_cast<float>(rule.load_us / std::max(1, config.stages - 1));
    const std::int64_t tiles =
        model.gpu.registers_per_sm / (kThreadsPerWarp * config.warps * registers_of(config, sums));
    WaveCoefficients<float>& c = fitted.coefficients;
    c.slots = std::min(c.slots, static_cast<float>(std::max<std::int64_t>(1, tiles)));
    // One tile waits for its products, then scales; tiles beside it use the matrix unit meanwhile.
    c.latency_base += (whole_tiles ? c.math + load : 0) + scaling;
    c.math = std::sqrt(std::hypot(c.math * c.math, scaling * scaling));
  }
}

}  // namespace warploom
