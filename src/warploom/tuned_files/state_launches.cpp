#include "warploom/tuned_files/state_launches.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "warploom/hardware/gpu_class.h"
#include "warploom/tuned_files/launch_pricing.h"

namespace warploom {
namespace {

constexpr std::int64_t kThreadsPerWarp = 32;
// As in tuner/record_model.cpp: us of a load from DRAM; share of the clock that is reached.
constexpr double kDramLatency = 0.5, kReached = 0.85;
constexpr double kIssuedPerClock = 4;  // instructions of an SM's four schedulers
// Registers of a thread: an element's state, input and output vectors, and what addresses take.
constexpr std::int64_t kPerElement = 3, kOthers = 32, kMost = 255;
constexpr std::int64_t kMostKey = 65536;

std::int64_t columns_of(const StateUpdate& state) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(state.state)));
}

std::int64_t registers_of(const TileConfig& config) {
  const std::int64_t elements =
      std::int64_t{config.tile_m} * config.tile_n / (kThreadsPerWarp * config.warps);
  return kPerElement * std::max<std::int64_t>(1, elements) + kOthers;
}

TileConfig launch(std::int32_t rows, std::int32_t warps, const StateUpdate& state) {
  return {.tile_m = rows,
          .tile_n = static_cast<std::int32_t>(columns_of(state)),
          .tile_k = 1,
          .warps = warps,
          .stages = 1};
}

std::vector<MoeConfig> launches(const StateUpdate& state) {
  std::vector<MoeConfig> found;
  for (const std::int32_t rows : {4, 8, 16, 32, 64})
    for (const std::int32_t warps : {1, 2, 4, 8}) {
      const TileConfig config = launch(rows, warps, state);
      if (rows <= state.head_dim && registers_of(config) <= kMost) found.push_back({.tile = config});
    }
  return found;
}

}  // namespace

MoeConfig default_state_launch(const StateUpdate& state, const GpuSpec& gpu) {
  // vLLM's is_blackwell: capability 10.x alone.
  const bool blackwell = gpu.compute_capability / 10 == 10;
  std::int32_t rows = 4, warps = 8;
  if (state.state <= 16)
    rows = 32, warps = 4;
  else if (state.state <= 32)
    rows = 16, warps = 4;
  else if (state.state <= 64)
    rows = 8, warps = 4;
  else if (blackwell)
    rows = 32;
  else if (state.state <= 128)
    warps = 4;
  return {.tile = launch(rows, warps, state)};
}

double state_update_us(const StateUpdate& state, const TileConfig& config, std::int64_t pairs,
                       const GpuSpec& gpu, const StateRules& rules) {
  const double sms = double(gpu.sm_count), clocks_per_us = gpu.boost_clock.value() * 1e-6;
  const std::int64_t threads = kThreadsPerWarp * config.warps;
  const std::int64_t slots =
      std::max<std::int64_t>(1, std::min({gpu.max_blocks_per_sm, gpu.max_threads_per_sm / threads,
                                          gpu.registers_per_sm / (threads * registers_of(config))}));
  const double of_head = std::ceil(double(state.head_dim) / config.tile_m);
  const double tiles = of_head * double(pairs);
  const double elements = double(config.tile_m) * config.tile_n;
  const double tile_bytes = 2 * elements * double(state.state_bytes);
  // A tile waits for its state and then for what it wrote; what others load meanwhile fills the SM's share.
  const double held = std::min(double(slots), std::ceil(tiles / sms));
  const double wait = 2 * kDramLatency;
  const double share = rules.memory_reached * gpu.memory_bandwidth.value() * 1e-6 / sms;  // bytes per us
  const double rate = std::min(share, held * tile_bytes / wait);
  const double moved = std::ceil(tiles / sms) * tile_bytes / rate;
  const double issued = std::ceil(tiles / sms) *
                        (elements * rules.operations / gpu.fma_lanes +
                         double(config.warps) * rules.warp_instructions / kIssuedPerClock) /
                        (clocks_per_us * kReached);
  return rules.launch_us + wait +
         std::pow(std::pow(moved, rules.sharpness) + std::pow(issued, rules.sharpness), 1 / rules.sharpness);
}

std::vector<KeyLaunches> state_launches(const StateUpdate& state, const GpuSpec& gpu) {
  std::vector<KeyLaunches> found;
  const MoeConfig usual = default_state_launch(state, gpu);
  const StateRules& rules = state_rules();
  std::vector<MoeConfig> configs = launches(state);
  if (std::find(configs.begin(), configs.end(), usual) == configs.end()) configs.push_back(usual);
  for (std::int64_t key = 8; key <= kMostKey; key *= 2) {
    KeyLaunches at{.key = key, .usual = usual, .configs = configs, .log_times = {}, .errors = rules.errors};
    for (const MoeConfig& config : configs)
      at.log_times.push_back(std::log(state_update_us(state, config.tile, key, gpu, rules)));
    found.push_back(std::move(at));
  }
  return found;
}

}  // namespace warploom
