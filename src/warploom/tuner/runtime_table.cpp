#include "warploom/tuner/runtime_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/tuner/internal/four_works.h"
#include "warploom/tuner/internal/table_layout.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {
namespace {

constexpr std::int64_t kShapeEnd = std::int64_t{1} << 31;

bool in_range(std::int64_t value) { return value >= 1 && value < kShapeEnd; }

float record_time(const MappingConstants& mapping, const ConfigRecord& record, const TileShape& shape) {
  return wave_time(record.coefficients, map_tile(mapping, ShapeTerms(mapping, shape), record.constants));
}

// Works of kernels that have a mapping of their own, one by one.
FourWorks mapped_works(const MappingConstants& mapping, const ShapeTerms& terms,
                       const ConfigRecord* const (&records)[4]) {
  TileWork works[4];
  const float* rows[4];
  for (std::size_t i = 0; i < 4; ++i) {
    // Cells with fewer candidates repeat the first.
    const bool repeated = i > 0 && records[i] == records[0];
    if (!repeated) works[i] = map_tile(mapping, terms, records[i]->constants);
    rows[i] = repeated ? &works[0].waves : &works[i].waves;
  }
  FourFloats columns[8];
  for (int k = 0; k < 8; k += 4) {
    const float* const four[4] = {rows[0] + k, rows[1] + k, rows[2] + k, rows[3] + k};
    transpose(four, columns + k);
  }
  FourWorks work;
  std::memcpy(static_cast<void*>(&work), columns, sizeof work);
  return work;
}

// The first kCount floats of four records' members, side by side.
template <std::size_t kCount>
[[gnu::always_inline]] inline void side_by_side(const float* const (&rows)[4],
                                                FourFloats (&columns)[kCount]) {
  static_assert(kCount % 4 == 0);
  for (std::size_t k = 0; k < kCount; k += 4) {
    const float* const four[4] = {rows[0] + k, rows[1] + k, rows[2] + k, rows[3] + k};
    transpose(four, columns + k);
  }
}

// Corrected times of four candidates, side by side.
FourFloats candidate_times(const ConfigRecord* configs, const MappingConstants& mapping, bool split,
                           const Candidate (&four)[4], const ShapeTerms& terms, float unit) {
  const ConfigRecord* records[4];
  const float *coefficients[4], *constants[4];
  FourFloats factors{};
  for (std::size_t i = 0; i < 4; ++i) {
    records[i] = configs + four[i].config();
    coefficients[i] = &records[i]->coefficients.slots;
    constants[i] = &records[i]->constants.tile_m;
    factors[i] = four[i].factor(unit);
  }
  FourWorks work;
  if (!split && terms.even_experts && has_four_works(mapping.kernel)) {
    FourFloats columns[12];
    side_by_side(constants, columns);
    FourConstants config;
    std::memcpy(static_cast<void*>(&config), columns, sizeof config);
    work = four_works(mapping, terms, config);
  } else {
    work = mapped_works(mapping, terms, records);
  }
  FourFloats columns[28];
  side_by_side(coefficients, columns);
  WaveCoefficients<FourFloats> c;
  std::memcpy(static_cast<void*>(&c), columns, sizeof c);
  return wave_time(c, work) * factors;
}

// Calls visit(configuration, corrected time short of the cell's scale) for the candidates of a shape's cell;
// where there are few the first comes again. Returns the cell.
template <class Visit>
[[gnu::always_inline]] inline const TableCell& visit_candidates(
    const TableLayout& layout, const TileShape& shape, const Visit& visit,
    std::span<const std::int64_t> expert_rows = {}) {
  const int row_class = row_class_of(layout.kernel, shape);
  const TableCell& cell = layout.cells[std::size_t(row_class) * layout.grid.size() + layout.grid.cell(shape)];
  const float unit = bias_unit(row_class);
  const Candidate* const all = cell.candidates;
  const ShapeTerms terms(layout.mapping, shape, expert_rows);
  for (std::size_t start = 0; start < kMostCandidates && (start == 0 || !(all[start] == all[0]));
       start += 4) {
    const Candidate four[4] = {all[start], all[start + 1], all[start + 2],
                               start == 0 ? all[3] : all[0]};  // seven places
    const FourFloats times =
        candidate_times(layout.configs.data(), layout.mapping, layout.splits_k, four, terms, unit);
    for (std::size_t i = 0; i < 4; ++i) visit(four[i].config(), times[i]);
  }
  return cell;
}

// Microseconds of one configuration: what a pick says of a candidate; of another the formula's time with the
// cell's scale, since nothing more is known of it.
float corrected_time(const TableLayout& layout, const TileShape& shape, std::size_t config) {
  float time = -1;
  const TableCell& cell = visit_candidates(layout, shape, [&](std::size_t candidate, float corrected) {
    if (candidate == config) time = corrected;
  });
  if (time < 0) time = record_time(layout.mapping, layout.configs[config], shape);
  return time * cell.scale();
}

std::vector<float> corrected_times(const TableLayout& layout, const TileShape& shape) {
  std::vector<float> times;
  for (const ConfigRecord& record : layout.configs)
    times.push_back(record_time(layout.mapping, record, shape));
  const TableCell& cell = visit_candidates(
      layout, shape, [&](std::size_t candidate, float corrected) { times[candidate] = corrected; });
  for (float& time : times) time *= cell.scale();
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
        const float cost = config == fallback ? time * kDefaultMargin : time;
        if (cost < best_cost) {
          best = config;
          best_cost = cost;
          best_time = time;
        }
      },
      expert_rows);
  // Times beyond single precision are infinite: then the first candidate stands.
  if (best_cost == std::numeric_limits<float>::infinity()) best = cell.candidates[0].config();
  return {.config = layout.configs[best].config,
          .predicted_us = best_time * cell.scale(),
          .is_default = best == fallback,
          .index = static_cast<std::uint32_t>(best)};
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
  const std::vector<float> times = corrected_times(*layout_, shape);
  const std::uint32_t picked = pick(shape).index, fallback = layout_->header->default_index;
  std::vector<TilePick> picks;
  for (std::size_t i = 0; i < times.size(); ++i)
    picks.push_back({.config = layout_->configs[i].config,
                     .predicted_us = times[i],
                     .is_default = i == fallback,
                     .index = static_cast<std::uint32_t>(i)});
  const auto cost = [&](const TilePick& one) {
    return one.is_default ? one.predicted_us * kDefaultMargin : one.predicted_us;
  };
  std::stable_sort(picks.begin(), picks.end(), [&](const TilePick& a, const TilePick& b) {
    if ((a.index == picked) != (b.index == picked)) return a.index == picked;
    return cost(a) < cost(b);
  });
  picks.resize(std::min(count, picks.size()));
  return picks;
}

std::optional<double> RuntimeTable::predict_us(const TileShape& shape, const TileConfig& config) const {
  check_shape(shape, "tune predict");
  for (std::size_t i = 0; i < layout_->configs.size(); ++i)
    if (layout_->configs[i].config == config) return double(corrected_time(*layout_, shape, i));
  return std::nullopt;
}

double RuntimeTable::error_bound(const TileShape& shape, const TilePick& pick) const {
  check_shape(shape, "tune pick");
  const ConfigRecord& record = layout_->configs[pick.index];
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
