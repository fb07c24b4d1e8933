#include "warploom/tuner/runtime_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/tuner/internal/table_layout.h"

namespace warploom {
namespace {

constexpr std::int64_t kShapeEnd = std::int64_t{1} << 31;

bool in_range(std::int64_t value) { return value >= 1 && value < kShapeEnd; }

// TileWork, four side by side.
struct FourWorks {
  FourFloats waves, iterations, first_touch, cold, read_mb, write_mb, hot_us, crossing;
};
static_assert(sizeof(FourWorks) == 4 * sizeof(TileWork));

float record_time(const MappingConstants& mapping, const ConfigRecord& record, const TileShape& shape) {
  return wave_time(record.coefficients, map_tile(mapping, ShapeTerms(mapping, shape), record.constants));
}

// Corrected times of four candidates, side by side.
FourFloats candidate_times(std::span<const ConfigRecord> configs, const MappingConstants& mapping,
                           const Candidate (&four)[4], const ShapeTerms& terms, float unit) {
  TileWork works[4];
  const float *coefficients[4], *work_rows[4];
  FourFloats factors{};
  for (std::size_t i = 0; i < 4; ++i) {
    const ConfigRecord& record = configs[four[i].config()];
    // Cells with fewer candidates repeat the first.
    const bool repeated = i > 0 && four[i] == four[0];
    if (!repeated) works[i] = map_tile(mapping, terms, record.constants);
    coefficients[i] = &record.coefficients.slots;
    work_rows[i] = repeated ? &works[0].waves : &works[i].waves;
    factors[i] = four[i].factor(unit);
  }
  FourFloats columns[28], work_columns[8];
  for (int k = 0; k < 28; k += 4) {
    const float* const rows[4] = {coefficients[0] + k, coefficients[1] + k, coefficients[2] + k,
                                  coefficients[3] + k};
    transpose(rows, columns + k);
  }
  for (int k = 0; k < 8; k += 4) {
    const float* const rows[4] = {work_rows[0] + k, work_rows[1] + k, work_rows[2] + k, work_rows[3] + k};
    transpose(rows, work_columns + k);
  }
  WaveCoefficients<FourFloats> c;
  std::memcpy(static_cast<void*>(&c), columns, sizeof c);
  FourWorks work;
  std::memcpy(static_cast<void*>(&work), work_columns, sizeof work);
  return wave_time(c, work) * factors;
}

}  // namespace

TilePick RuntimeTable::pick(const TileShape& shape) const noexcept {
  const Layout& layout = *layout_;
  const std::uint32_t fallback = layout.header->default_index;
  if (!in_range(shape.m) || !in_range(shape.n) || !in_range(shape.k))
    return {.config = layout.configs[fallback].config, .is_default = true, .index = fallback};
  const int row_class = row_class_of(layout.kernel, shape);
  const CellRecord& cell =
      layout.cells[std::size_t(row_class) * layout.grid.size() + layout.grid.cell(shape)];
  const float unit = bias_unit(row_class);
  const Candidate* const all = cell.candidates;
  const ShapeTerms terms(layout.mapping, shape);
  // Times beyond single precision are infinite: then the first candidate stands.
  std::size_t best = all[0].config();
  float best_cost = std::numeric_limits<float>::infinity(), best_time = best_cost;
  for (std::size_t start = 0; start < kMostCandidates && (start == 0 || !(all[start] == all[0]));
       start += 4) {
    const Candidate four[4] = {all[start], all[start + 1], all[start + 2],
                               start == 0 ? all[3] : all[0]};  // seven places
    const FourFloats times = candidate_times(layout.configs, layout.mapping, four, terms, unit);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t config = four[i].config();
      const float cost = config == fallback ? times[i] * kDefaultMargin : times[i];
      if (cost < best_cost) {
        best = config;
        best_cost = cost;
        best_time = times[i];
      }
    }
  }
  return {.config = layout.configs[best].config,
          .predicted_us = best_time * cell.scale(),
          .is_default = best == fallback,
          .index = static_cast<std::uint32_t>(best)};
}

std::vector<TilePick> RuntimeTable::best(const TileShape& shape, std::size_t count) const {
  check_shape(shape, "tune pick");
  std::vector<TilePick> picks;
  for (std::size_t i = 0; i < layout_->configs.size(); ++i)
    picks.push_back({.config = layout_->configs[i].config,
                     .predicted_us = record_time(layout_->mapping, layout_->configs[i], shape),
                     .is_default = i == layout_->header->default_index,
                     .index = static_cast<std::uint32_t>(i)});
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
  for (const CellRecord& cell : layout_->cells) {
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
