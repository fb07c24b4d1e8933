#include "warploom/tuner/anchor_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/tuner/shape_cells.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

constexpr double kWaves[] = {0.25, 0.5, 1.0, 1.01, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0};
constexpr std::int64_t kLoops[] = {4, 16, 64, 128};
constexpr std::int64_t kNarrowLoops[] = {4, 16, 64};
constexpr std::int32_t kUsualStages = 3;
constexpr double kFirstWaves[] = {0.5, 1.0, 2.0, 6.0};
constexpr std::int64_t kFirstLoops[] = {4, 64};
// Shapes at which a configuration may show that it can win, and how far behind the best it may still be.
constexpr std::size_t kContests = 2048;
constexpr float kBehind = 1.04F;
constexpr std::int64_t kMostElements = (std::int64_t{1} << 31) - 1;
// Shapes that are narrow both ways, of each so many configurations that rank first and about so many others;
// their sizes: as the samples were taken that mended such rows (decision 0157).
constexpr std::size_t kNearShapes = 60, kNear = 24, kOthers = 8;
constexpr double kFewestColumns = 256, kMostColumns = 16384, kFewestDepth = 128, kMostProducts = 2e10;
// Attention: keys times query heads beyond which one anchor costs more than it is worth.
constexpr std::int64_t kMostKeys = std::int64_t{1} << 21;
constexpr std::int64_t kLongestRows = 8192;

struct Grid {
  std::int64_t tiles, loops;
  bool skinny;
};

// Each problem of a batch has its share of the grid, and each part of a split loop.
TileShape gemm_shape(const TileKernel& kernel, const TileConfig& c, const Grid& grid) {
  const std::int64_t tiles = std::max<std::int64_t>(1, grid.tiles / (kernel.batch * c.split_k));
  const double square = std::sqrt(double(tiles) * c.tile_n / c.tile_m);
  const std::int64_t rows =
      grid.skinny ? 1 : std::clamp<std::int64_t>(std::int64_t(square), 1, kLongestRows / c.tile_m);
  const std::int64_t columns = std::max<std::int64_t>(1, tiles / rows);
  return {rows * c.tile_m, columns * c.tile_n, grid.loops * c.tile_k * c.split_k};
}

TileShape grouped_shape(const TileKernel& kernel, const TileConfig& c, const Grid& grid) {
  const std::int64_t experts = kernel.experts;
  const bool few = grid.skinny && grid.tiles < 2 * experts;
  const std::int64_t hit = few ? std::clamp<std::int64_t>(grid.tiles / 4, 1, experts) : experts;
  const double square = std::sqrt(double(grid.tiles) / double(hit) * c.tile_n / c.tile_m);
  const std::int64_t each = grid.skinny ? 1 : std::max<std::int64_t>(1, std::int64_t(square));
  const std::int64_t columns =
      std::max<std::int64_t>(1, std::llround(double(grid.tiles) / double(hit * each)));
  return {hit < experts ? hit : hit * each * c.tile_m, columns * c.tile_n, grid.loops * c.tile_k};
}

TileShape attention_shape(const TileKernel& kernel, const TileConfig& c, const Grid& grid) {
  const std::int64_t keys = grid.loops * c.tile_n, group = kernel.head_group;
  const std::int64_t rows =
      grid.skinny ? 1 : std::max<std::int64_t>(1, std::min(keys / c.tile_m, grid.tiles / group));
  const std::int64_t heads =
      group * std::max<std::int64_t>(1, std::llround(double(grid.tiles) / double(rows * group)));
  return {std::min(rows * c.tile_m, keys), keys, heads};
}

// Up to eight key heads a sequence, skinny grids one: no two tiles share keys either way.
TileShape decode_shape(const TileKernel& kernel, const TileConfig& c, const Grid& grid) {
  const std::int64_t each = (kernel.head_group + c.tile_m - 1) / c.tile_m * c.split_k;
  const std::int64_t tiles = std::max<std::int64_t>(1, grid.tiles / each);
  const std::int64_t heads = grid.skinny ? 1 : std::min<std::int64_t>(8, tiles);
  return {std::max<std::int64_t>(1, tiles / heads), grid.loops * c.tile_n * c.split_k,
          heads * kernel.head_group};
}

TileShape shape_of(const TileKernel& kernel, const TileConfig& config, const Grid& grid) {
  switch (kernel.kind) {
    case TileKernelKind::GroupedGemm:
      return grouped_shape(kernel, config, grid);
    case TileKernelKind::Attention:
      return attention_shape(kernel, config, grid);
    case TileKernelKind::PagedDecode:
      return decode_shape(kernel, config, grid);
    default:
      return gemm_shape(kernel, config, grid);
  }
}

std::vector<AnchorRow> rows_of(const TileKernel& kernel, const TileGpu& gpu,
                               const std::vector<TileConfig>& space, std::span<const double> all_waves,
                               std::span<const std::int64_t> all_loops) {
  if (space.empty())
    throw InvalidInput(fmt::format("anchors of '{}': no configuration to measure", kernel.name));
  std::vector<AnchorRow> rows;
  for (const TileConfig& config : space)
    for (const double waves : all_waves)
      for (const std::int64_t loops : all_loops)
        for (const bool skinny : {false, true}) {
          const Grid grid{std::max<std::int64_t>(1, std::int64_t(waves * double(gpu.sms))), loops, skinny};
          const TileShape shape = shape_of(kernel, config, grid);
          if (!beyond_memory(kernel, shape)) rows.push_back({config, shape});
        }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

TileShape drawn_shape(const ShapeCells& grid, RandomStream& draw) {
  std::int64_t value[3];
  for (std::size_t axis = 0; axis < 3; ++axis)
    value[axis] = std::llround(std::exp2(0.5 * (grid.first[axis] + draw.uniform() * grid.count[axis])));
  return {value[0], value[1], value[2]};
}

// Configurations that the model, with its error, does not put behind another one everywhere.
std::vector<TileConfig> contenders(const WaveModel& model) {
  const std::size_t count = model.configs.size();
  const ShapeCells grid = ShapeCells::of(model.kernel.kind);
  RandomStream draw(kContests, "anchor contest");
  std::vector<bool> stays(count, false);
  std::vector<float> times(count);
  for (std::size_t contest = 0; contest < kContests; ++contest) {
    const TileShape shape = drawn_shape(grid, draw);
    for (std::size_t i = 0; i < count; ++i) times[i] = static_cast<float>(predict_us(model, i, shape));
    const float best = *std::min_element(times.begin(), times.end());
    for (std::size_t i = 0; i < count; ++i)
      stays[i] = stays[i] || times[i] < best * (kBehind + model.configs[i].residual);
  }
  std::vector<TileConfig> left(model.left_out);  // too little is known of these
  for (std::size_t i = 0; i < count; ++i)
    if (stays[i]) left.push_back(model.configs[i].config);
  return left;
}

// The configuration of the usual stages, or the nearest, of each tile, warps and parts of the loop; sorted.
std::vector<TileConfig> one_of_each(std::vector<TileConfig> space) {
  std::sort(space.begin(), space.end());
  std::vector<TileConfig> chosen;
  for (const TileConfig& config : space) {
    const auto alike = std::find_if(chosen.begin(), chosen.end(),
                                    [&](const TileConfig& other) { return same_but_stages(config, other); });
    if (alike == chosen.end())
      chosen.push_back(config);
    else if (std::abs(config.stages - kUsualStages) < std::abs(alike->stages - kUsualStages))
      *alike = config;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// At random shapes that are narrow both ways the configurations that the model of wide rows ranks first, and
// some others.
std::vector<AnchorRow> plan_near_both(const WaveModel& model, const std::vector<TileConfig>& left) {
  if (reads_keys(model.kernel.kind) || model.kernel.b_along_n) return {};
  const std::vector<TileConfig> configs = one_of_each(left);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < model.configs.size(); ++i)
    if (std::binary_search(configs.begin(), configs.end(), model.configs[i].config)) places.push_back(i);
  RandomStream draw(kNearShapes, "narrow both ways");
  const auto odd = [&](double first, double last) -> std::int64_t {
    return std::llround(first * std::pow(last / first, draw.uniform())) / 2 * 2 + 1;
  };
  std::vector<AnchorRow> rows;
  for (std::size_t found = 0; found < kNearShapes;) {
    const std::int64_t m = std::llround(std::pow(double(kLongestRows), draw.uniform()));
    const std::int64_t n = odd(kFewestColumns, kMostColumns), k = odd(kFewestDepth, kMostColumns);
    const TileShape shape{m, n, k};
    if (double(shape.m) * double(shape.n) * double(shape.k) > kMostProducts ||
        beyond_memory(model.kernel, shape))
      continue;
    ++found;
    std::vector<std::pair<double, std::size_t>> ranked;
    for (const std::size_t i : places) ranked.emplace_back(double(predict_us(model, i, shape)), i);
    std::sort(ranked.begin(), ranked.end());
    for (std::size_t i = 0; i < ranked.size(); ++i)
      if (i < kNear || draw.uniform() * double(ranked.size() - kNear) < double(kOthers))
        rows.push_back({model.configs[ranked[i].second].config, shape});
  }
  return rows;
}

}  // namespace

bool beyond_memory(const TileKernel& kernel, const TileShape& shape) {
  if (kernel.kind == TileKernelKind::Attention) return shape.n * shape.k > kMostKeys;
  if (kernel.kind == TileKernelKind::PagedDecode)
    return shape.m * shape.n >= kMostElements / (kernel.head_dim * (shape.k / kernel.head_group));
  const std::int64_t experts =
      kernel.kind == TileKernelKind::GroupedGemm ? std::min(kernel.experts, shape.m) : 1;
  return shape.n * shape.k >= kMostElements / experts;
}

std::vector<AnchorRow> plan_anchors(const TileKernel& kernel, const TileGpu& gpu,
                                    const std::vector<TileConfig>& space) {
  return rows_of(kernel, gpu, space, kWaves, kLoops);
}

std::vector<AnchorRow> plan_first_round(const TileKernel& kernel, const TileGpu& gpu,
                                        const std::vector<TileConfig>& space) {
  return rows_of(kernel, gpu, space, kFirstWaves, kFirstLoops);
}

std::vector<AnchorRow> plan_narrow(const TileKernel& kernel, const TileGpu& gpu,
                                   const std::vector<TileConfig>& space) {
  if (reads_keys(kernel.kind) || kernel.b_along_n) return {};
  std::vector<AnchorRow> rows = rows_of(kernel, gpu, one_of_each(space), kWaves, kNarrowLoops);
  for (AnchorRow& row : rows) --row.shape.k;
  const std::size_t loads = rows.size();
  for (std::size_t i = 0; i < loads; ++i) {
    rows.push_back(rows[i]);
    --rows.back().shape.n;
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<AnchorRow> plan_second_round(const TileKernel& kernel, const TileGpu& gpu,
                                         const std::vector<TileSample>& measured, bool narrow_rows) {
  const WaveModel model = fit_wave_model(kernel, gpu, measured);
  std::vector<AnchorRow> done;
  for (const TileSample& sample : measured) done.push_back({sample.config, sample.shape});
  std::sort(done.begin(), done.end());
  std::vector<AnchorRow> rows;
  const std::vector<TileConfig> left = contenders(model);
  std::vector<AnchorRow> wanted = plan_anchors(kernel, gpu, left);
  if (narrow_rows) {
    for (const auto& narrow : {plan_narrow(kernel, gpu, left), plan_near_both(model, left)})
      wanted.insert(wanted.end(), narrow.begin(), narrow.end());
    std::sort(wanted.begin(), wanted.end());
  }
  for (const AnchorRow& row : wanted)
    if (!std::binary_search(done.begin(), done.end(), row)) rows.push_back(row);
  return rows;
}

}  // namespace warploom
