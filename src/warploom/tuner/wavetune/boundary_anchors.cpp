#include "warploom/tuner/wavetune/boundary_anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/tuner/wavetune/wavetune_model.h"

namespace warploom {
namespace {

constexpr std::int64_t kBoundaryWaves[] = {1, 2, 3, 4, 6, 10};
constexpr std::int64_t kBoundaryLoops[] = {4, 16, 64, 128};
constexpr std::int64_t kMostOperand = (std::int64_t{1} << 31) - 1;
// Grids are drawn from tile rows this far, by ratio, around the square; kMostAspect allows them all.
constexpr double kRowsAround = 1.6;

// Tiles of one wave, ends included, and which end is wanted.
struct WaveEnd {
  std::int64_t first, last;
  bool at_last;
};

struct TileGrid {
  std::int64_t rows, columns;
};

// Rows and columns whose product times `each` lies in the wave, as near its end as rows around `square` allow.
std::optional<TileGrid> grid_at(const WaveEnd& end, std::int64_t each, double square, std::int64_t most_rows) {
  const std::int64_t first = (end.first + each - 1) / each, last = end.last / each;
  std::optional<TileGrid> best;
  const auto from = std::clamp<std::int64_t>(std::int64_t(square / kRowsAround), 1, most_rows);
  const auto to = std::clamp<std::int64_t>(std::int64_t(square * kRowsAround) + 1, 1, most_rows);
  for (std::int64_t rows = from; rows <= to; ++rows) {
    const TileGrid grid{rows, end.at_last ? last / rows : (first + rows - 1) / rows};
    const std::int64_t tiles = grid.rows * grid.columns;
    if (tiles < first || tiles > last) continue;
    const std::int64_t so_far = best ? best->rows * best->columns : 0;
    if (!best || (end.at_last ? tiles > so_far : tiles < so_far)) best = grid;
  }
  return best;
}

// Launches of how many problems, experts or query heads a grid of tiles comes from.
std::int64_t problems_of(const TileKernel& kernel, const TileConfig& config) {
  switch (kernel.kind) {
    case TileKernelKind::GroupedGemm:
      return kernel.experts;
    case TileKernelKind::Attention:
      return kernel.head_group;
    default:
      return kernel.batch * config.split_k;
  }
}

std::optional<TileShape> boundary_shape(const TileKernel& kernel, const TileConfig& c, const WaveEnd& end,
                                        std::int64_t loops) {
  const bool attention = kernel.kind == TileKernelKind::Attention;
  const std::int64_t each = problems_of(kernel, c), keys = loops * c.tile_n;
  const double tiles = double(end.at_last ? end.last : end.first) / double(each);
  const double square = attention ? std::sqrt(tiles) : std::sqrt(tiles * c.tile_n / c.tile_m);
  // A row of queries sees no more keys than there are.
  const std::int64_t most_rows = attention ? std::max<std::int64_t>(1, keys / c.tile_m) : kMostOperand;
  const auto grid = grid_at(end, each, square, most_rows);
  if (!grid) return std::nullopt;
  if (attention)
    return TileShape{std::min(grid->rows * c.tile_m, keys), keys, grid->columns * kernel.head_group};
  const std::int64_t experts = kernel.kind == TileKernelKind::GroupedGemm ? kernel.experts : 1;
  return TileShape{experts * grid->rows * c.tile_m, grid->columns * c.tile_n, loops * c.tile_k * c.split_k};
}

bool is_too_large(const TileKernel& kernel, const TileShape& shape) {
  const std::int64_t experts = kernel.kind == TileKernelKind::GroupedGemm ? kernel.experts : 1;
  const std::int64_t depth = kernel.kind == TileKernelKind::Attention ? kernel.head_dim : 1;
  return shape.n * shape.k >= kMostOperand / (experts * depth) || shape.m >= kMostOperand / shape.k;
}

}  // namespace

std::vector<AnchorRow> plan_boundary_anchors(const TileKernel& kernel, const TileGpu& gpu,
                                             const std::vector<TileConfig>& space) {
  if (space.empty())
    throw InvalidInput(fmt::format("anchors of '{}': no configuration to measure", kernel.name));
  std::vector<AnchorRow> rows;
  for (const TileConfig& config : space)
    for (const std::int64_t waves : kBoundaryWaves)
      for (const std::int64_t loops : kBoundaryLoops)
        for (const bool at_last : {false, true}) {
          const std::int64_t first = waves == 1 ? std::max<std::int64_t>(1, gpu.sms / 4) : (waves - 1) * gpu.sms + 1;
          const auto shape = boundary_shape(kernel, config, {first, waves * gpu.sms, at_last}, loops);
          if (shape && !is_too_large(kernel, *shape)) rows.push_back({config, *shape});
        }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace warploom
