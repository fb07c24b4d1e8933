#include "warploom/fused_moe/config_features.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

constexpr double kBytes = 2;  // of an operand's element
constexpr double kMostWaves = 64;
constexpr double kOtherRegisters = 40;  // of a thread beside its accumulators
constexpr double kRegistersOfAThread = 255;

double shared_bytes(const TileConfig& c) {
  return double(c.stages) * double(c.tile_m + c.tile_n) * double(c.tile_k) * kBytes;
}
double accumulators(const TileConfig& c) { return double(c.tile_m) * double(c.tile_n) / (32.0 * c.warps); }

double occupancy_of(const TileConfig& c, const GpuSpec& gpu) {
  const double registers = 32.0 * c.warps * std::min(kRegistersOfAThread, accumulators(c) + kOtherRegisters);
  return std::clamp(std::min(std::floor(gpu.shared_memory_per_sm.value() / shared_bytes(c)),
                             std::floor(double(gpu.registers_per_sm) / registers)),
                    1.0, 8.0);
}

double fill_of(double waves) { return waves / std::ceil(waves); }

}  // namespace

std::array<GroupedProduct, 2> products_of(const MoeLayer& layer, std::int64_t tokens) {
  // Every GPU of an expert-parallel group sees its share of the pairs.
  const double pairs = double(tokens) * double(layer.top_k) / double(layer.expert_parallel);
  const double held = double(layer.held()), width = double(layer.width()), hidden = double(layer.hidden);
  return {{{.pairs = pairs, .experts = held, .outputs = 2 * width, .inner = hidden},
           {.pairs = pairs, .experts = held, .outputs = hidden, .inner = width}}};
}

bool may_run(const MoeConfig& config, const GpuSpec& gpu) {
  return shared_bytes(config.tile) <= gpu.max_shared_memory_per_block.value() &&
         accumulators(config.tile) <= kRegistersOfAThread;
}

void config_features(const GroupedProduct& p, const MoeConfig& config, const GpuSpec& gpu, FeatureRow& row) {
  const TileConfig& c = config.tile;
  const double sms = double(gpu.sm_count), a_expert = p.pairs / p.experts;
  const double hit = std::min(p.experts, std::max(p.pairs, 1.0));
  const double row_tiles = hit * std::ceil(std::max(a_expert, 1.0) / c.tile_m);
  const double column_tiles = std::ceil(p.outputs / c.tile_n), tiles = row_tiles * column_tiles;
  const double occupancy = occupancy_of(c, gpu), waves = tiles / sms, slots = waves / occupancy;
  const double peak = gpu.tensor_rate(gpu.tensor_rates.fp16).value();
  const double weights = hit * p.outputs * p.inner * kBytes;
  const double math = 2 * tiles * c.tile_m * c.tile_n * p.inner / peak;
  const double dram = weights / gpu.memory_bandwidth.value();
  const double l2 = tiles * (c.tile_m + c.tile_n) * p.inner * kBytes / gpu.l2_bandwidth.value();
  row.clear();
  for (const double size : {a_expert, p.experts, p.outputs, p.inner}) row.add_log2(size);
  row.add(shared_bytes(c) / gpu.shared_memory_per_sm.value());
  row.add(occupancy);
  row.add(accumulators(c));
  row.add(std::min(waves, kMostWaves));
  row.add(fill_of(waves));
  row.add(std::min(slots, kMostWaves));
  row.add(fill_of(slots));
  row.add_log2(row_tiles * c.tile_m / std::max(p.pairs, 1.0));
  row.add_log2(column_tiles * c.tile_n / p.outputs);
  for (const int size : {c.tile_m, c.tile_n, c.tile_k, int(config.group_m)}) row.add_log2(size);
  row.add(c.warps);
  row.add(c.stages);
  row.add_log2(double(c.tile_m) * c.tile_n / c.warps);
  row.add_log2(weights / gpu.l2_capacity.value());
  row.add_log2(math / dram);
  row.add_log2(l2 / dram);
  row.add_log2(math * 1e6);
  row.add_log2(dram * 1e6);
  row.add_log2(p.inner / c.tile_k);
  row.add_log2(peak / gpu.memory_bandwidth.value());
  row.add_log2(gpu.l2_bandwidth / gpu.memory_bandwidth);
  row.add_log2(gpu.shared_memory_per_sm.value());
  row.add_log2(gpu.l2_bandwidth.value() / gpu.sm_cycles_per_second());
  row.add_log2(gpu.tensor_rates.fp16);
  row.take_logs();
}

}  // namespace warploom
