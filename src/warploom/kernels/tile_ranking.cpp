#include "warploom/kernels/tile_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/matrix_rate.h"

namespace warploom {
namespace {

constexpr double kStepBytes = 128;        // of an operand row in one step
constexpr double kLeastSteps = 20;        // of one part of a split inner length (cublasLt 13.1 on an H200)
constexpr std::int64_t kLargest = 40960;  // results of a tile (128 x 320)
constexpr std::int64_t kLongest = 512;
constexpr double kMostSplitWaves = 6;
constexpr std::array<std::int64_t, 6> kUnits{64, 128, 192, 256, 384, 512};  // of warp groups' 64 rows
constexpr std::array<std::int64_t, 18> kSplits{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 18, 20, 23};
constexpr std::array<LibraryTile, 7> kIntegerTiles{
    {{64, 64}, {64, 128}, {64, 256}, {128, 64}, {128, 128}, {128, 256}, {256, 128}}};

std::vector<LibraryTile> half_tiles() {
  std::vector<LibraryTile> tiles;
  for (const std::int64_t unit : kUnits) {
    for (std::int64_t side = 8; side <= kLongest && unit * side <= kLargest; side += 8) {
      tiles.push_back({unit, side});
      // Both orders; a pair of units comes up as the other unit's too.
      if (std::find(kUnits.begin(), kUnits.end(), side) == kUnits.end()) tiles.push_back({side, unit});
    }
  }
  return tiles;
}

const std::vector<LibraryTile>& tiles_of(TileFamily family) {
  static const std::vector<LibraryTile> half = half_tiles();
  static const std::vector<LibraryTile> blocks{{128, 128}};
  static const std::vector<LibraryTile> integers(kIntegerTiles.begin(), kIntegerTiles.end());
  if (family == TileFamily::Fp8Block) return blocks;
  return family == TileFamily::Int8 ? integers : half;
}

double tiles_along(double size, std::int64_t tile) { return std::ceil(size / double(tile)); }

// A tile taller than the operand's rows in whole eights, or than one warp group's 64, only pads.
double tallest(double size) { return std::max(64.0, std::ceil(size / 8) * 8); }

}  // namespace

const std::array<std::string_view, kTileCosts> kTileCostNames{
    "round_products", "round_rows", "round_columns", "round_steps", "work_products", "work_rows",
    "work_columns",   "work_steps", "prologue",      "epilogue",    "memory",        "memory_half_fill",
    "memory_fill",    "split",      "split_sums",    "split_parts", "busy_feed"};

const std::array<std::string_view, kTileTastes> kTileTasteNames{
    "rows_by_64",    "columns_by_64", "rows_by_16", "columns_by_16", "rows_by_32",  "columns_by_32",
    "area",          "tall",          "split",      "splits",        "overhang",    "beyond_32768",
    "rows_64",       "columns_64",    "rows_128",   "columns_128",   "rows_192",    "columns_192",
    "rows_256",      "columns_256",   "rows_384",   "columns_384",   "rows_512",    "columns_512",
    "rows_8",        "both_by_64",    "square",     "both_by_128",   "even_splits", "many_splits",
    "area_by_steps", "odd_large"};

std::optional<TileFamily> tile_family(MatmulScheme scheme) {
  switch (scheme) {
    case MatmulScheme::Bf16:
    case MatmulScheme::Fp16:
      return TileFamily::Half;
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
      return TileFamily::Fp8;
    case MatmulScheme::Fp8Block:
      return TileFamily::Fp8Block;
    case MatmulScheme::Int8:
      return TileFamily::Int8;
    default:
      return std::nullopt;
  }
}

double TileProblem::steps() const { return std::ceil(k * operand_bytes / kStepBytes); }

double TileProblem::waves(const LibraryTile& tile) const {
  return tiles_along(m, tile.tile_m) * tiles_along(n, tile.tile_n) * double(tile.splits) * batch / sms;
}

std::optional<TileProblem> tile_problem(const Gemm& op, const GpuSpec& gpu, std::int64_t sms) {
  const std::optional<TileFamily> family = tile_family(op.scheme);
  if (!family) return std::nullopt;
  TileProblem problem;
  problem.family = *family;
  problem.m = double(op.m);
  problem.n = double(op.n);
  problem.k = double(op.k);
  problem.batch = double(op.batch);
  problem.operand_bytes = bytes_per_element(activation_type(op.scheme));
  problem.output_bytes = *family == TileFamily::Int8 ? 4 : 2;
  problem.sms = double(sms > 0 ? sms : gpu.sm_count);
  problem.rate = tensor_rate_per_clock(gpu, math_type(op.scheme));
  problem.memory_bytes = gpu.memory_bandwidth.value() / gpu.boost_clock.value();
  return problem;
}

namespace {

std::array<float, kTileTastes> tastes(const TileProblem& p, const LibraryTile& tile, double steps) {
  const auto f = [](double value) { return float(value); };
  const auto by = [](std::int64_t side, std::int64_t unit) { return side % unit == 0 ? 1.0F : 0.0F; };
  const auto is = [](bool holds) { return holds ? 1.0F : 0.0F; };
  const std::int64_t r = tile.tile_m, c = tile.tile_n;
  const double bm = double(r), bn = double(c), area = std::log2(bm * bn / 16384);
  std::array<float, kTileTastes> taste{};
  std::size_t i = 0;
  const auto add = [&](auto... values) { ((taste[i++] = values), ...); };
  add(by(r, 64), by(c, 64), by(r, 16), by(c, 16), by(r, 32), by(c, 32));
  add(f(area), f(std::log2(bm / bn)), is(tile.splits > 1), f(std::log2(double(tile.splits))));
  add(f(std::max(0.0, std::log2(bm / p.m))), is(r * c > 32768));
  for (const std::int64_t unit : kUnits) add(is(r == unit), is(c == unit));
  add(is(r == 8), by(r, 64) * by(c, 64), is(r == c), by(r, 128) * by(c, 128));
  add(is(tile.splits % 2 == 0), is(tile.splits > 8), f(std::log2(steps + 1) * area));
  add(is(r * c > 16384 && (r % 64 != 0 || c % 64 != 0)));
  return taste;
}

}  // namespace

TileTerms tile_terms(const TileProblem& p, const LibraryTile& tile) {
  const double bm = double(tile.tile_m), bn = double(tile.tile_n), splits = double(tile.splits);
  const double waves = p.waves(tile), rounds = std::ceil(waves - 1e-9), fill = std::min(1.0, waves);
  const double steps = std::ceil(p.steps() / splits), split = splits > 1 ? 1 : 0;
  const double products = 2 * bm * bn * (kStepBytes / p.operand_bytes) / p.rate;
  const double bytes = (p.m + p.n) * p.k * p.operand_bytes + p.m * p.n * p.output_bytes;
  const double memory = bytes * p.batch / p.memory_bytes;
  const double round = rounds * steps, work = waves * steps;
  const std::array<double, kTileCosts> cost{round * products,
                                            round * bm,
                                            round * bn,
                                            round,
                                            work * products,
                                            work * bm,
                                            work * bn,
                                            work,
                                            rounds,
                                            rounds * bm * bn,
                                            memory,
                                            memory / std::sqrt(fill),
                                            memory / fill,
                                            split,
                                            split * 8 * splits * p.m * p.n * p.batch / p.sms,
                                            split * splits,
                                            work * fill * (bm + bn)};
  TileTerms t;
  std::transform(cost.begin(), cost.end(), t.cost.begin(), [](double value) { return float(value); });
  t.taste = tastes(p, tile, steps);
  return t;
}

void add_tile_candidates(const TileProblem& problem, std::vector<LibraryTile>& tiles) {
  const double highest = tallest(problem.m), widest = tallest(problem.n), steps = problem.steps();
  const bool scales = problem.family == TileFamily::Fp8Block || problem.family == TileFamily::Int8;
  for (LibraryTile tile : tiles_of(problem.family)) {
    if (!scales && (double(tile.tile_m) > highest || double(tile.tile_n) > widest)) continue;
    // Up to eight rows one tile holds all: its height is 8, or 64 where the operands change sides.
    if (!scales && problem.m <= 8 && tile.tile_m != 8 && tile.tile_m != 64) continue;
    for (const std::int64_t splits : kSplits) {
      tile.splits = splits;
      if (splits > 1 && (steps / double(splits) < kLeastSteps || problem.waves(tile) > kMostSplitWaves))
        break;
      tiles.push_back(tile);
    }
  }
}

double TileConstants::score(const TileTerms& terms) const {
  double clocks = 0, liking = 0;
  for (std::size_t i = 0; i < kTileCosts; ++i) clocks += cost[i] * double(terms.cost[i]);
  for (std::size_t i = 0; i < kTileTastes; ++i) liking += taste[i] * double(terms.taste[i]);
  return liking - sharpness * std::log(clocks);
}

std::array<double, kTileCosts> TileConstants::typical_costs() {
  return {0.3, 0.3, 0.3, 30, 0.1, 0.1, 0.1, 5, 500, 0.02, 0.5, 0.3, 0.1, 1500, 0.01, 50, 0.05};
}

std::vector<RankedTile> TileRanking::rank(const TileProblem& problem, std::size_t most) const {
  const TileConstants& constants = (*this)[problem.family];
  std::vector<LibraryTile> tiles;
  add_tile_candidates(problem, tiles);
  std::vector<RankedTile> ranked;
  ranked.reserve(tiles.size());
  double best = -std::numeric_limits<double>::infinity();
  for (const LibraryTile& tile : tiles) {
    ranked.push_back({tile, constants.score(tile_terms(problem, tile)), problem.waves(tile)});
    best = std::max(best, ranked.back().chance);
  }
  double sum = 0;
  for (RankedTile& entry : ranked) sum += entry.chance = std::exp(entry.chance - best);
  for (RankedTile& entry : ranked) entry.chance /= sum;
  const auto kept = std::ptrdiff_t(std::min(std::max<std::size_t>(most, 1), ranked.size()));
  std::partial_sort(ranked.begin(), ranked.begin() + kept, ranked.end(),
                    [](const RankedTile& a, const RankedTile& b) { return a.chance > b.chance; });
  ranked.resize(std::size_t(kept));
  return ranked;
}

std::optional<RankedTile> cublas_tile(const Gemm& op, const GpuSpec& gpu, std::string_view kernel) {
  if (!has_wgmma(gpu)) return std::nullopt;
  const auto named = [kernel](std::string_view word) { return kernel.find(word) != std::string_view::npos; };
  const bool linear = kernel.empty() || named("torch") || kernel == "vllm_default";
  const std::optional<TileProblem> problem = tile_problem(op, gpu);
  if (!problem || !(named("cublas") || (linear && problem->family == TileFamily::Half))) return std::nullopt;
  return TileRanking::cublas().rank(*problem).front();
}

}  // namespace warploom
