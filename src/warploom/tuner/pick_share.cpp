#include "warploom/tuner/pick_share.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/base/statistics.h"

namespace warploom {
namespace {

constexpr int kDraws = 256;
// What is slower by so many tiles' errors is never the best of a draw.
constexpr double kReach = 8;
constexpr double kFourOfFive = 0.8416;  // of a normal distribution

// The least time of a tile, whose configurations err together.
struct Tile {
  TileConfig config;
  double least = 0, error = 0;
};

void add(std::vector<Tile>& tiles, const Tile& one) {
  const auto same = std::find_if(tiles.begin(), tiles.end(),
                                 [&](const Tile& tile) { return same_macro(tile.config, one.config); });
  if (same == tiles.end())
    tiles.push_back(one);
  else
    same->least = std::min(same->least, one.least);
}

// `mine`: ln(time) of the pick, which errs as its own tile does, or was timed (`own`: none). `timed`: the
// least that was; infinite: nothing.
PickShare share_of(const std::vector<Tile>& tiles, const TileConfig* own, double mine, double timed,
                   std::string_view name) {
  RandomStream random(1, name);
  std::vector<double> shares;
  for (int draw = 0; draw < kDraws; ++draw) {
    double best = timed, here = mine;
    for (const Tile& tile : tiles) {
      const double error = random.normal(0, tile.error);
      best = std::min(best, tile.least + error);
      if (own != nullptr && same_macro(tile.config, *own)) here = mine + error;
    }
    shares.push_back(std::exp(std::min(0.0, best - here)));
  }
  return {.p10 = quantile(shares, 0.1), .p50 = quantile(shares, 0.5), .p90 = quantile(shares, 0.9)};
}

}  // namespace

PickShare share_of_best(std::span<const TileConfig> configs, std::span<const double> log_times,
                        std::size_t pick, const TimeErrors& errors) {
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < configs.size(); ++i)
    if (log_times[i] <= log_times[pick] + kReach * errors.tile)
      add(tiles, {configs[i], log_times[i], errors.tile});
  return share_of(tiles, &configs[pick], log_times[pick], std::numeric_limits<double>::infinity(),
                  "pick shares");
}

PickShare share_of_best_timed(std::span<const TileConfig> configs, std::span<const double> log_times,
                              std::span<const double> timed, double mine, const TimeErrors& errors) {
  double moved = 0, count = 0, fastest = mine;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (std::isnan(timed[i])) continue;
    moved += timed[i] - log_times[i];
    fastest = std::min(fastest, timed[i]);
    ++count;
  }
  moved /= count;
  // Tiles among what was not timed; one of which something was errs less.
  const auto was_timed = [&](const TileConfig& tile) {
    for (std::size_t i = 0; i < configs.size(); ++i)
      if (!std::isnan(timed[i]) && same_macro(tile, configs[i])) return true;
    return false;
  };
  std::vector<Tile> others;
  for (std::size_t i = 0; i < configs.size(); ++i)
    if (std::isnan(timed[i]) && log_times[i] + moved <= fastest + kReach * errors.tile)
      add(others, {configs[i], log_times[i] + moved, 0});
  for (Tile& other : others)
    other.error = was_timed(other.config) ? errors.knob : errors.tile * std::sqrt(1 + 1 / count);
  return share_of(others, nullptr, mine, fastest, "timed pick shares");
}

bool clearly_faster(double gain, const TileConfig& config, const TileConfig& than, const TimeErrors& errors) {
  const double tiles = same_macro(config, than) ? 0 : errors.tile;
  return gain > kFourOfFive * std::sqrt(2 * (tiles * tiles + errors.knob * errors.knob));
}

}  // namespace warploom
