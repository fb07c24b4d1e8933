#include "warploom/tuner/runtime_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/tuner/internal/cell_candidates.h"
#include "warploom/tuner/internal/expected_gain.h"
#include "warploom/tuner/internal/sector_limit.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {
namespace {

bool in_range(std::int64_t value) { return value >= 1 && value < kShapeEnd; }

struct CorrectedTimes {
  std::vector<float> all;                 // of each configuration
  std::vector<std::uint32_t> candidates;  // of the cell, configurations
};

// What loads allow, where that is more than an estimate says.
double within_loads(const TableLayout& layout, const TileShape& shape, std::size_t config, double us) {
  if (!between_sectors(layout.kernel, shape)) return us;
  return limited_us(layout.gpu, shape, layout.configs[config].config, us);
}

CorrectedTimes corrected_times(const TableLayout& layout, const TileShape& shape) {
  CorrectedTimes times;
  for (std::size_t i = 0; i < layout.configs.size(); ++i)
    times.all.push_back(record_time(layout.mapping, layout.records[record_at(layout, shape, i)], shape));
  const TableCell& cell = visit_candidates(layout, shape, [&](std::size_t candidate, float corrected) {
    const std::uint16_t config = layout.listed[candidate];
    times.all[config] = corrected;
    times.candidates.push_back(config);
  });
  for (std::size_t i = 0; i < times.all.size(); ++i)
    times.all[i] = float(within_loads(layout, shape, i, double(times.all[i] * cell.scale())));
  return times;
}

TilePick least_of(const TableLayout& layout, const TileShape& shape,
                  std::span<const std::int64_t> expert_rows) noexcept {
  const std::uint32_t fallback = layout.header->default_index;
  if (!in_range(shape.m) || !in_range(shape.n) || !in_range(shape.k))
    return {.config = layout.configs[fallback].config, .is_default = true, .index = fallback};
  std::size_t best = 0;
  float best_cost = std::numeric_limits<float>::infinity(), best_time = best_cost;
  const TableCell& cell = visit_candidates(
      layout, shape,
      [&](std::size_t config, float time) {
        const float cost = layout.listed[config] == fallback ? time * kDefaultMargin : time;
        if (cost < best_cost) {
          best = config;
          best_cost = cost;
          best_time = time;
        }
      },
      expert_rows);
  // Times beyond single precision are infinite: then the first candidate stands.
  if (best_cost == std::numeric_limits<float>::infinity())
    best = layout.record_of(layout.row_class(shape), cell.candidates[0]);
  const std::uint32_t config = layout.listed[best];
  return {.config = layout.configs[config].config,
          .predicted_us = best_time * cell.scale(),
          .is_default = config == fallback,
          .index = config};
}

}  // namespace

TilePick RuntimeTable::pick(const TileShape& shape) const noexcept { return least_of(*layout_, shape, {}); }

TilePick RuntimeTable::pick(std::span<const std::int64_t> expert_rows, std::int64_t n,
                            std::int64_t k) const noexcept {
  const bool grouped = layout_->kernel.kind == TileKernelKind::GroupedGemm;
  return least_of(*layout_, {grouped ? pairs_of(expert_rows) : 0, n, k}, expert_rows);
}

std::vector<TilePick> RuntimeTable::best(const TileShape& shape, std::size_t count) const {
  check_shape(shape, "tune pick");
  const CorrectedTimes times = corrected_times(*layout_, shape);
  const std::uint32_t picked = pick(shape).index, fallback = layout_->header->default_index;
  const auto config = [&](std::uint32_t index) { return layout_->configs[index].config; };
  const auto cost = [&](std::uint32_t index) {
    return index == fallback ? times.all[index] * kDefaultMargin : times.all[index];
  };
  const auto cheaper = [&](std::uint32_t a, std::uint32_t b) { return cost(a) < cost(b); };
  std::vector<std::uint32_t> candidates(times.candidates), order{picked};
  std::stable_sort(candidates.begin(), candidates.end(), cheaper);
  for (const std::uint32_t one : candidates)
    if (std::none_of(order.begin(), order.end(),
                     [&](std::uint32_t other) { return same_macro(config(one), config(other)); }))
      order.push_back(one);
  const std::size_t first = order.size();
  for (std::uint32_t i = 0; i < times.all.size(); ++i)
    if (std::find(order.begin(), order.begin() + std::ptrdiff_t(first), i) ==
        order.begin() + std::ptrdiff_t(first))
      order.push_back(i);
  std::stable_sort(order.begin() + std::ptrdiff_t(first), order.end(), cheaper);
  order.resize(std::min(count, order.size()));
  std::vector<TilePick> picks;
  for (const std::uint32_t i : order)
    picks.push_back(
        {.config = config(i), .predicted_us = times.all[i], .is_default = i == fallback, .index = i});
  return picks;
}

std::optional<TilePick> RuntimeTable::next_to_time(const TileShape& shape,
                                                   std::span<const TimedTile> timed) const {
  check_shape(shape, "tune pick");
  const auto is_timed = [&](const TileConfig& config) {
    return std::any_of(timed.begin(), timed.end(),
                       [&](const TimedTile& one) { return one.config == config; });
  };
  const std::vector<TilePick> all = best(shape, layout_->configs.size());
  const TilePick& picked = all.front();
  if (!is_timed(picked.config)) return picked;
  if (timed.size() == 1 && all.size() > 1 && !same_macro(picked.config, all[1].config) &&
      all[1].predicted_us <= picked.predicted_us * (1 + kUnsure))
    return all[1];
  std::vector<EstimatedTile> estimates;
  std::vector<TimedEstimate> known;
  for (const TilePick& one : all) {
    const auto found = std::find_if(timed.begin(), timed.end(),
                                    [&](const TimedTile& other) { return other.config == one.config; });
    if (found != timed.end() && found->us > 0 && std::isfinite(found->us))
      known.push_back({.place = estimates.size(), .log_us = std::log(found->us)});
    estimates.push_back({.config = one.config, .log_us = std::log(double(one.predicted_us))});
  }
  const auto possible = [&](const TilePick& one) {
    return one.predicted_us <= picked.predicted_us * kNeverBest && !is_timed(one.config);
  };
  if (known.empty()) {  // nothing ran: the next in line
    const auto found = std::find_if(all.begin(), all.end(), possible);
    return found == all.end() ? std::nullopt : std::optional(*found);
  }
  const std::vector<double> gains = expected_gains(estimates, known);
  std::size_t most = 0;
  double gain = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (gains[i] <= gain || !possible(all[i])) continue;
    most = i;
    gain = gains[i];
  }
  return gain < kWorthATiming ? std::nullopt : std::optional(all[most]);
}

std::optional<double> RuntimeTable::predict_us(const TileShape& shape, const TileConfig& config) const {
  check_shape(shape, "tune predict");
  for (std::size_t i = 0; i < layout_->configs.size(); ++i)
    if (layout_->configs[i].config == config)
      return within_loads(*layout_, shape, i, double(corrected_time(*layout_, shape, i)));
  return std::nullopt;
}

double RuntimeTable::error_bound(const TileShape& shape, const TilePick& pick) const {
  check_shape(shape, "tune pick");
  const ConfigRecord& record = layout_->records[record_at(*layout_, shape, pick.index)];
  const TileWork work = tile_work(layout_->kernel, layout_->gpu, shape, record.config);
  return warploom::error_bound({.config = record.config,
                                .residual = record.residual,
                                .most_waves = record.most_waves,
                                .most_iterations = record.most_iterations},
                               double(work.waves), double(work.iterations));
}

const TileKernel& RuntimeTable::kernel() const { return layout_->kernel; }
const TileGpu& RuntimeTable::gpu() const { return layout_->gpu; }
double RuntimeTable::median_r_squared() const { return layout_->median_r_squared; }
TableTier RuntimeTable::tier() const { return layout_->tier; }
std::size_t RuntimeTable::cells() const { return layout_->cells.size(); }

TileConfig RuntimeTable::default_config() const {
  return layout_->configs[layout_->header->default_index].config;
}

std::vector<FittedConfig> RuntimeTable::configs() const {
  std::vector<FittedConfig> configs;
  for (const ConfigRecord& record : layout_->configs)
    configs.push_back({.config = record.config,
                       .coefficients = record.coefficients,
                       .residual = record.residual,
                       .most_waves = record.most_waves,
                       .most_iterations = record.most_iterations});
  return configs;
}

double RuntimeTable::mean_candidates() const {
  double sum = 0;
  for (const TableCell& cell : layout_->cells) {
    const auto repeats = std::count(cell.candidates + 1, std::end(cell.candidates), cell.candidates[0]);
    sum += double(kMostCandidates) - double(repeats);
  }
  return sum / double(layout_->cells.size());
}

void RuntimeTable::require(std::string_view gpu, std::string_view kernel) const {
  if (!gpu.empty() && gpu != layout_->gpu.name)
    throw InvalidInput(fmt::format("the tune table is for GPU '{}', not '{}'", layout_->gpu.name, gpu));
  if (!kernel.empty() && kernel != layout_->kernel.name)
    throw InvalidInput(
        fmt::format("the tune table is for kernel '{}', not '{}'", layout_->kernel.name, kernel));
}

}  // namespace warploom
