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
// A product with one scale and an addition with the other; of a matrix unit that yields whole tiles also what
// clears and moves its sums. Source of the latter and of kLoad: 24 shapes on an H100
// (tests/fixtures/tuner/block_products, tried 3 to 5 and 0.25 to 1.25 us); an H200's judge them.
constexpr double kOperations = 2, kTileOperations = 4;
// us: what a load takes beside the record's latency, of which each stage but one hides a share, since the
// products of a step have ended before the next one's are waited for.
constexpr double kLoad = 0.75;

// `sums` of each element.
std::int64_t registers_of(const TileConfig& config, std::int64_t sums) {
  const std::int64_t elements = std::int64_t{config.tile_m} * config.tile_n;
  return sums * elements / (kThreadsPerWarp * config.warps) + kOtherRegisters;
}

bool holds(const TileConfig& config, std::int64_t block_k, std::int64_t sums) {
  return registers_of(config, sums) <= kMostRegisters && config.tile_k <= block_k &&
         block_k % config.tile_k == 0;
}

}  // namespace

void add_block_scales(WaveModel& model, const GpuSpec& gpu, std::int64_t block_k) {
  // Instructions of a warp yield few elements at a time, which are scaled and added one after another.
  const bool whole_tiles = has_async_matrix_unit(gpu);
  const std::int64_t sums = whole_tiles ? 2 : 1;
  std::erase_if(model.configs,
                [&](const FittedConfig& fitted) { return !holds(fitted.config, block_k, sums); });
  if (model.configs.empty())
    throw InvalidInput(fmt::format("'{}' on {}: no configuration whose steps divide blocks of {}",
                                   model.kernel.name, gpu.name, block_k));
  const double clocks_per_us = gpu.boost_clock.value() * 1e-6;
  for (FittedConfig& fitted : model.configs) {
    const TileConfig& config = fitted.config;
    const double elements = double(config.tile_m) * config.tile_n;
    const double operations = whole_tiles ? kTileOperations : kOperations;
    const auto scaling = static_cast<float>(operations * elements / gpu.fma_lanes / clocks_per_us);
    const auto load = static_cast<float>(kLoad / std::max(1, config.stages - 1));
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
