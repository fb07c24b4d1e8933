#include "warploom/fused_moe/voted_configs.h"

#include <algorithm>
#include <set>

namespace warploom {
namespace {

constexpr double kLeastTileBytes = 32 * 1024;
constexpr double kMostPadding = 1.25;
constexpr double kWeightBytes = 2;

}  // namespace

std::vector<std::int64_t> judged_tokens(std::size_t key) {
  const auto [first, last] = served_tokens(key);
  const std::set<std::int64_t> tokens{first, kMoeLadder[key], last};
  return {tokens.begin(), tokens.end()};
}

std::vector<double> layer_votes(const MoeLayer& layer, std::size_t key, const GpuSpec& gpu,
                                const ConfigModel& model) {
  std::vector<double> votes(model.record().candidates.size(), 0);
  const std::vector<std::int64_t> tokens = judged_tokens(key);
  for (const std::int64_t count : tokens) {
    const auto products = products_of(layer, count);
    for (std::size_t product = 0; product < 2; ++product) {
      const std::vector<double> seen = model.votes(products[product], gpu);
      const double weight = (product == 0 ? 2.0 : 1.0) / (3.0 * double(tokens.size()));
      for (std::size_t i = 0; i < votes.size(); ++i) votes[i] += weight * seen[i];
    }
  }
  return votes;
}

double layer_slowdown(const MoeLayer& layer, const MoeConfig& config, std::int64_t tokens, const GpuSpec& gpu,
                      const ConfigModel& model) {
  const auto products = products_of(layer, tokens);
  return (2 * model.slowdown(products[0], config, gpu) + model.slowdown(products[1], config, gpu)) / 3;
}

bool fills_tiles(const TileConfig& tile, const MoeLayer& layer) {
  for (const std::int64_t inner : {layer.hidden, layer.width()}) {
    const std::int64_t steps = (inner + tile.tile_k - 1) / tile.tile_k;
    if (steps < tile.stages || double(steps * tile.tile_k) > kMostPadding * double(inner)) return false;
    if (double(tile.tile_n) * double(inner) * kWeightBytes < kLeastTileBytes) return false;
  }
  return true;
}

}  // namespace warploom
