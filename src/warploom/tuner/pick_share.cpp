#include "warploom/tuner/pick_share.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/base/statistics.h"

namespace warploom {
namespace {

constexpr int kDraws = 256;
// Slower ones are never the best of a draw.
constexpr double kReach = 8 * kTileError;
constexpr double kFourOfFive = 0.8416;  // of a normal distribution

}  // namespace

PickShare share_of_best(std::span<const TileConfig> configs, std::span<const double> log_times,
                        std::size_t pick) {
  // The least time of each tile; its configurations err together.
  std::vector<std::pair<TileConfig, double>> tiles;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (log_times[i] > log_times[pick] + kReach) continue;
    const auto same = std::find_if(tiles.begin(), tiles.end(),
                                   [&](const auto& tile) { return same_macro(tile.first, configs[i]); });
    if (same == tiles.end())
      tiles.emplace_back(configs[i], log_times[i]);
    else
      same->second = std::min(same->second, log_times[i]);
  }
  RandomStream random(1, "pick shares");
  std::vector<double> shares;
  for (int draw = 0; draw < kDraws; ++draw) {
    double best = std::numeric_limits<double>::infinity(), mine = 0;
    for (const auto& [config, least] : tiles) {
      const double error = random.normal(0, kTileError);
      best = std::min(best, least + error);
      if (same_macro(config, configs[pick])) mine = log_times[pick] + error;
    }
    shares.push_back(std::exp(std::min(0.0, best - mine)));
  }
  return {.p10 = quantile(shares, 0.1), .p50 = quantile(shares, 0.5), .p90 = quantile(shares, 0.9)};
}

PickShare share_of_best_timed(std::span<const TileConfig> configs, std::span<const double> log_times,
                              std::span<const double> timed, double mine) {
  double moved = 0, count = 0, fastest = mine;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (std::isnan(timed[i])) continue;
    moved += timed[i] - log_times[i];
    fastest = std::min(fastest, timed[i]);
    ++count;
  }
  moved /= count;
  // The least time of each tile among what was not timed; a tile of which something was errs less.
  struct Untimed {
    TileConfig tile;
    double least, error;
  };
  std::vector<Untimed> others;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (!std::isnan(timed[i]) || log_times[i] + moved > fastest + kReach) continue;
    const auto same = std::find_if(others.begin(), others.end(),
                                   [&](const Untimed& other) { return same_macro(other.tile, configs[i]); });
    if (same == others.end())
      others.push_back({configs[i], log_times[i] + moved, kTileError * std::sqrt(1 + 1 / count)});
    else
      same->least = std::min(same->least, log_times[i] + moved);
  }
  for (Untimed& other : others)
    for (std::size_t i = 0; i < configs.size(); ++i)
      if (!std::isnan(timed[i]) && same_macro(other.tile, configs[i])) other.error = kKnobError;
  RandomStream random(1, "timed pick shares");
  std::vector<double> shares;
  for (int draw = 0; draw < kDraws; ++draw) {
    double best = fastest;
    for (const Untimed& other : others) best = std::min(best, other.least + random.normal(0, other.error));
    shares.push_back(std::exp(best - mine));
  }
  return {.p10 = quantile(shares, 0.1), .p50 = quantile(shares, 0.5), .p90 = quantile(shares, 0.9)};
}

bool clearly_faster(double gain, const TileConfig& config, const TileConfig& than) {
  const double tiles = same_macro(config, than) ? 0 : kTileError;
  return gain > kFourOfFive * std::sqrt(2 * (tiles * tiles + kKnobError * kKnobError));
}

}  // namespace warploom
