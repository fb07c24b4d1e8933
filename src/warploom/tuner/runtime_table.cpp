#include "warploom/tuner/runtime_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "warploom/base/error.h"
#include "warploom/tuner/internal/table_layout.h"

namespace warploom {
namespace {

constexpr std::int64_t kShapeEnd = std::int64_t{1} << 31;

bool in_range(std::int64_t value) { return value >= 1 && value < kShapeEnd; }

float record_time(const MappingConstants& mapping, const ConfigRecord& record, const TileShape& shape) {
  return wave_time(record.coefficients, map_tile(mapping, shape, record.constants));
}

}  // namespace

TilePick RuntimeTable::pick(const TileShape& shape) const noexcept {
  const Layout& layout = *layout_;
  const std::uint32_t fallback = layout.header->default_index;
  if (!in_range(shape.m) || !in_range(shape.n) || !in_range(shape.k))
    return {.config = layout.configs[fallback].config, .is_default = true};
  const int alignment = alignment_of(layout.kernel, shape);
  const CellRecord& cell = layout.cells[std::size_t(alignment) * layout.grid.size() + layout.grid.cell(shape)];
  const float unit = bias_unit(alignment);
  std::uint32_t best = cell.candidates[0];
  float best_cost = std::numeric_limits<float>::max(), best_time = 0;
  for (std::size_t i = 0; i < kMostCandidates; ++i) {
    const std::uint32_t index = cell.candidates[i];
    if (i > 0 && index == cell.candidates[0]) break;
    const float time = record_time(layout.mapping, layout.configs[index], shape) * (1.0F + unit * static_cast<float>(cell.bias[i]));
    const float cost = index == fallback ? time * kDefaultMargin : time;
    if (cost < best_cost) {
      best = index;
      best_cost = cost;
      best_time = time;
    }
  }
  return {.config = layout.configs[best].config, .predicted_us = best_time, .is_default = best == fallback};
}

std::vector<TilePick> RuntimeTable::best(const TileShape& shape, std::size_t count) const {
  check_shape(shape, "tune pick");
  std::vector<TilePick> picks;
  for (std::size_t i = 0; i < layout_->configs.size(); ++i)
    picks.push_back({.config = layout_->configs[i].config,
                     .predicted_us = record_time(layout_->mapping, layout_->configs[i], shape),
                     .is_default = i == layout_->header->default_index});
  std::stable_sort(picks.begin(), picks.end(),
                   [](const TilePick& a, const TilePick& b) { return a.predicted_us < b.predicted_us; });
  picks.resize(std::min(count, picks.size()));
  return picks;
}

std::optional<double> RuntimeTable::predict_us(const TileShape& shape, const TileConfig& config) const {
  check_shape(shape, "tune predict");
  for (const ConfigRecord& record : layout_->configs) {
    if (record.config == config) return double(record_time(layout_->mapping, record, shape));
  }
  return std::nullopt;
}

const TileKernel& RuntimeTable::kernel() const { return layout_->kernel; }
const TileGpu& RuntimeTable::gpu() const { return layout_->gpu; }
double RuntimeTable::median_r_squared() const { return layout_->median_r_squared; }
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
  for (const CellRecord& cell : layout_->cells)
    sum += double(std::set<std::uint16_t>(std::begin(cell.candidates), std::end(cell.candidates)).size());
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
