#include "warploom/judge/wavetune/boundary_anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/judge/wavetune/grid_loop.h"
#include "warploom/judge/wavetune/wavetune_model.h"

namespace warploom {
namespace {

constexpr std::int64_t kBoundaryWaves[] = {1, 2, 3, 4, 6, 10};
constexpr std::int64_t kBoundaryLoops[] = {4, 16, 64, 128};
constexpr std::int64_t kMostOperand = (std::int64_t{1} << 31) - 1;
constexpr std::int64_t kMostKeyHeads = 8;  // that models of today keep on a GPU
// Grids are drawn from tile rows this far, by ratio, around the square; kMostAspect allows them all.
constexpr double kRowsAround = 1.6;

// Tiles of one wave, ends included, and which end is wanted.
struct WaveEnd {
  std::int64_t first, last;
  bool at_last;

  std::int64_t wanted() const { return at_last ? last : first; }
};

struct TileGrid {
  std::int64_t rows, columns;
};

// Rows and columns whose tiles lie in the wave, as near its end as rows around `square` allow. A column of so
// many rows holds tiles_of(rows) tiles.
template <class TilesOf>
std::optional<TileGrid> grid_at(const WaveEnd& end, double square, std::int64_t most_rows,
                                const TilesOf& tiles_of) {
  std::optional<TileGrid> best;
  std::int64_t so_far = 0;
  const auto from = std::clamp<std::int64_t>(std::int64_t(square / kRowsAround), 1, most_rows);
  const auto to = std::clamp<std::int64_t>(std::int64_t(square * kRowsAround) + 1, 1, most_rows);
  for (std::int64_t rows = from; rows <= to; ++rows) {
    const std::int64_t column = tiles_of(rows);
    const std::int64_t columns = end.at_last ? end.last / column : (end.first + column - 1) / column;
    const std::int64_t tiles = column * columns;
    if (tiles < end.first || tiles > end.last) continue;
    if (best && (end.at_last ? tiles <= so_far : tiles >= so_far)) continue;
    best = TileGrid{rows, columns};
    so_far = tiles;
  }
  return best;
}

std::optional<TileShape> gemm_boundary(const TileKernel& kernel, const TileConfig& c, const WaveEnd& end,
                                       std::int64_t loops) {
  const std::int64_t each = kernel.batch * c.split_k;
  const double square = std::sqrt(double(end.wanted()) / double(each) * c.tile_n / c.tile_m);
  const auto grid = grid_at(end, square, kMostOperand, [&](std::int64_t rows) { return rows * each; });
  if (!grid) return std::nullopt;
  return TileShape{grid->rows * c.tile_m, grid->columns * c.tile_n, loops * c.tile_k * c.split_k};
}

// Rows are tile rows of an expert, in the mean where experts differ.
std::optional<TileShape> grouped_boundary(const MappingConstants& constants, const TileConfig& c,
                                          const WaveEnd& end, std::int64_t loops) {
  const std::int64_t experts = constants.kernel.experts;
  const double square = std::sqrt(double(end.wanted()) / double(experts) * c.tile_n / c.tile_m);
  const auto tiles_of = [&](std::int64_t rows) {
    const ShapeTerms terms(constants, {experts * rows * c.tile_m, c.tile_n, c.tile_k});
    return std::int64_t(grid_and_loop(constants, terms, MacroSizes(c)).grid);
  };
  const auto grid = grid_at(end, square, kMostOperand, tiles_of);
  if (!grid) return std::nullopt;
  return TileShape{experts * grid->rows * c.tile_m, grid->columns * c.tile_n, loops * c.tile_k};
}

std::optional<TileShape> attention_boundary(const TileKernel& kernel, const TileConfig& c, const WaveEnd& end,
                                            std::int64_t loops) {
  const std::int64_t group = kernel.head_group, keys = loops * c.tile_n;
  // A row of queries sees no more keys than there are.
  const auto most_rows = std::max<std::int64_t>(1, keys / c.tile_m);
  const auto grid = grid_at(end, std::sqrt(double(end.wanted()) / double(group)), most_rows,
                            [&](std::int64_t rows) { return rows * group; });
  if (!grid) return std::nullopt;
  return TileShape{std::min(grid->rows * c.tile_m, keys), keys, grid->columns * group};
}

// Rows are key heads, columns sequences.
std::optional<TileShape> decode_boundary(const TileKernel& kernel, const TileConfig& c, const WaveEnd& end,
                                         std::int64_t loops) {
  const std::int64_t each = (kernel.head_group + c.tile_m - 1) / c.tile_m * c.split_k;
  const auto grid = grid_at(end, std::sqrt(double(end.wanted()) / double(each)), kMostKeyHeads,
                            [&](std::int64_t rows) { return rows * each; });
  if (!grid) return std::nullopt;
  return TileShape{grid->columns, loops * c.tile_n * c.split_k, grid->rows * kernel.head_group};
}

std::optional<TileShape> boundary_shape(const MappingConstants& constants, const TileConfig& c,
                                        const WaveEnd& end, std::int64_t loops) {
  switch (constants.kernel.kind) {
    case TileKernelKind::GroupedGemm:
      return grouped_boundary(constants, c, end, loops);
    case TileKernelKind::Attention:
      return attention_boundary(constants.kernel, c, end, loops);
    case TileKernelKind::PagedDecode:
      return decode_boundary(constants.kernel, c, end, loops);
    default:
      return gemm_boundary(constants.kernel, c, end, loops);
  }
}

}  // namespace

std::vector<AnchorRow> plan_boundary_anchors(const TileKernel& kernel, const TileGpu& gpu,
                                             const std::vector<TileConfig>& space) {
  if (space.empty())
    throw InvalidInput(fmt::format("anchors of '{}': no configuration to measure", kernel.name));
  check_kernel(kernel, "tile kernel");
  const MappingConstants constants(kernel, gpu);
  std::vector<AnchorRow> rows;
  for (const TileConfig& config : space)
    for (const std::int64_t waves : kBoundaryWaves)
      for (const std::int64_t loops : kBoundaryLoops)
        for (const bool at_last : {false, true}) {
          const std::int64_t first =
              waves == 1 ? std::max<std::int64_t>(1, gpu.sms / 4) : (waves - 1) * gpu.sms + 1;
          const auto shape = boundary_shape(constants, config, {first, waves * gpu.sms, at_last}, loops);
          if (shape && !beyond_memory(kernel, *shape)) rows.push_back({config, *shape});
        }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace warploom
