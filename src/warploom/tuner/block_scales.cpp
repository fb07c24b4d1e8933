#include "warploom/tuner/block_scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::int64_t kThreadsPerWarp = 32;
constexpr std::int64_t kMostRegisters = 255;
// Addresses, scales and the loop take so many of a thread, beside two sums of each element.
constexpr std::int64_t kOtherRegisters = 40;
// A product with one scale and an addition with the other.
constexpr double kOperations = 2;

std::int64_t registers_of(const TileConfig& config) {
  const std::int64_t sums = 2 * std::int64_t{config.tile_m} * config.tile_n;
  return sums / (kThreadsPerWarp * config.warps) + kOtherRegisters;
}

bool holds(const TileConfig& config, std::int64_t block_k) {
  return registers_of(config) <= kMostRegisters && config.tile_k <= block_k && block_k % config.tile_k == 0;
}

}  // namespace

void add_block_scales(WaveModel& model, const GpuSpec& gpu, std::int64_t block_k) {
  std::erase_if(model.configs, [&](const FittedConfig& fitted) { return !holds(fitted.config, block_k); });
  if (model.configs.empty())
    throw InvalidInput(fmt::format("'{}' on {}: no configuration whose steps divide blocks of {}",
                                   model.kernel.name, gpu.name, block_k));
  const double clocks_per_us = gpu.boost_clock.value() * 1e-6;
  for (FittedConfig& fitted : model.configs) {
    const TileConfig& config = fitted.config;
    const double elements = double(config.tile_m) * config.tile_n;
    const auto scaling = static_cast<float>(kOperations * elements / gpu.fma_lanes / clocks_per_us);
    const std::int64_t tiles =
        model.gpu.registers_per_sm / (kThreadsPerWarp * config.warps * registers_of(config));
    WaveCoefficients<float>& c = fitted.coefficients;
    c.slots = std::min(c.slots, static_cast<float>(std::max<std::int64_t>(1, tiles)));
    // One tile waits for its products, then scales; tiles beside it use the matrix unit meanwhile.
    c.latency_base += c.math + scaling;
    c.math = std::sqrt(std::hypot(c.math * c.math, scaling * scaling));
  }
}

}  // namespace warploom
