#include "warploom/judge/wavetune/wavetune_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/base/error.h"

namespace warploom {
namespace {

bool is_answered(const TileShape& shape) {
  constexpr std::int64_t kEnd = std::int64_t{1} << 31;
  return std::min({shape.m, shape.n, shape.k}) >= 1 && std::max({shape.m, shape.n, shape.k}) < kEnd;
}

// The sampled number of waves nearest to `waves`, the lower of two equally near.
std::uint32_t nearest_bucket(const std::vector<WaveBucket>& buckets, std::int64_t waves) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < buckets.size(); ++i)
    if (std::abs(buckets[i].waves - waves) < std::abs(buckets[best].waves - waves)) best = i;
  return static_cast<std::uint32_t>(best);
}

// Nearest by ratio; the shorter of two equally near.
const LoopAnchor& nearest_loop(const std::vector<LoopAnchor>& loops, double loop) {
  const auto above =
      std::find_if(loops.begin(), loops.end(), [&](const LoopAnchor& anchor) { return anchor.loop >= loop; });
  if (above == loops.begin()) return loops.front();
  if (above == loops.end()) return loops.back();
  const LoopAnchor& below = *std::prev(above);
  return above->loop * below.loop < loop * loop ? *above : below;
}

}  // namespace

WaveTuneTable::WaveTuneTable(WaveTuneModel model)
    : model_(std::move(model)), mapping_(model_.kernel, model_.gpu), per_sm_(1.0 / double(model_.gpu.sms)) {
  if (model_.macros.empty())
    throw InvalidInput("WaveTune table: no macro configuration, expected at least one");
  for (const MacroTimes& macro : model_.macros) {
    MacroRow row{.sizes = MacroSizes(macro.tiles)};
    if (macro.buckets.empty())
      throw InvalidInput(fmt::format("WaveTune table: tiles {}x{}x{} have no wave bucket", macro.tiles.tile_m,
                                     macro.tiles.tile_n, macro.tiles.tile_k));
    for (const WaveBucket& bucket : macro.buckets) {
      if (bucket.loops.empty())
        throw InvalidInput(
            fmt::format("WaveTune table: the bucket of {} waves has no loop anchor", bucket.waves));
      row.times.push_back(bucket.time);
    }
    for (std::int64_t waves = 0; waves <= macro.buckets.back().waves; ++waves)
      row.bucket_of_waves.push_back(nearest_bucket(macro.buckets, waves));
    rows_.push_back(std::move(row));
  }
}

std::size_t WaveTuneTable::bucket_at(const MacroRow& row, double grid) const {
  const auto waves = static_cast<std::size_t>(waves_of(grid, per_sm_));
  return row.bucket_of_waves[std::min(waves, row.bucket_of_waves.size() - 1)];
}

TilePick WaveTuneTable::with_micro(std::size_t macro, const ShapeTerms& terms, double us) const {
  const MacroTimes& times = model_.macros[macro];
  const GridLoop at = grid_and_loop(mapping_, terms, rows_[macro].sizes);
  const WaveBucket& bucket = times.buckets[bucket_at(rows_[macro], at.grid)];
  const LoopAnchor& micro = nearest_loop(bucket.loops, at.loop);
  TilePick pick{.config = times.tiles,
                .predicted_us = static_cast<float>(std::min(us, double(std::numeric_limits<float>::max()))),
                .index = static_cast<std::uint32_t>(macro)};
  pick.config.warps = micro.warps;
  pick.config.stages = micro.stages;
  pick.is_default = pick.config == model_.default_config;
  return pick;
}

TilePick WaveTuneTable::pick(const TileShape& shape) const noexcept { return least_of(shape, {}); }

TilePick WaveTuneTable::pick(std::span<const std::int64_t> expert_rows, std::int64_t n,
                             std::int64_t k) const noexcept {
  const bool grouped = model_.kernel.kind == TileKernelKind::GroupedGemm;
  return least_of({grouped ? pairs_of(expert_rows) : 0, n, k}, expert_rows);
}

TilePick WaveTuneTable::least_of(const TileShape& shape,
                                 std::span<const std::int64_t> expert_rows) const noexcept {
  if (!is_answered(shape)) return {.config = model_.default_config, .is_default = true};
  const ShapeTerms terms(mapping_, shape, expert_rows);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const GridLoop at = grid_and_loop(mapping_, terms, rows_[i].sizes);
    const double us = rows_[i].times[bucket_at(rows_[i], at.grid)].at(at.grid, at.loop);
    if (us < least) {
      least = us;
      best = i;
    }
  }
  return with_micro(best, terms, least);
}

std::vector<TilePick> WaveTuneTable::best(const TileShape& shape, std::size_t count) const {
  check_shape(shape, "tune pick");
  const ShapeTerms terms(mapping_, shape);
  std::vector<TilePick> picks;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const GridLoop at = grid_and_loop(mapping_, terms, rows_[i].sizes);
    picks.push_back(with_micro(i, terms, rows_[i].times[bucket_at(rows_[i], at.grid)].at(at.grid, at.loop)));
  }
  std::stable_sort(picks.begin(), picks.end(),
                   [](const TilePick& a, const TilePick& b) { return a.predicted_us < b.predicted_us; });
  picks.resize(std::min(count, picks.size()));
  return picks;
}

bool WaveTuneTable::extrapolated(const TileShape& shape, const TilePick& pick) const {
  check_shape(shape, "tune pick");
  const MacroRow& row = rows_.at(pick.index);
  const GridLoop at = grid_and_loop(mapping_, ShapeTerms(mapping_, shape), row.sizes);
  return model_.macros[pick.index].buckets[bucket_at(row, at.grid)].waves != waves_of(at.grid, per_sm_);
}

void WaveTuneTable::require(std::string_view gpu, std::string_view kernel) const {
  if (!gpu.empty() && gpu != model_.gpu.name)
    throw InvalidInput(fmt::format("the WaveTune table is for GPU '{}', not '{}'", model_.gpu.name, gpu));
  if (!kernel.empty() && kernel != model_.kernel.name)
    throw InvalidInput(
        fmt::format("the WaveTune table is for kernel '{}', not '{}'", model_.kernel.name, kernel));
}

}  // namespace warploom
