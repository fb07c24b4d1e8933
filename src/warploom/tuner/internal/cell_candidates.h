// Times of the configurations of a shape's cell, four side by side: what a pick compares.
#pragma once

#include <cstring>
#include <span>

#include "warploom/tuner/internal/four_works.h"
#include "warploom/tuner/internal/table_layout.h"

namespace warploom {

inline constexpr std::int64_t kShapeEnd = std::int64_t{1} << 31;  // no dimension reaches it

inline float record_time(const MappingConstants& mapping, const ConfigRecord& record,
                         const TileShape& shape) {
  return wave_time(record.coefficients, map_tile(mapping, ShapeTerms(mapping, shape), record.constants));
}

// Works of kernels that have a mapping of their own, one by one.
inline FourWorks mapped_works(const MappingConstants& mapping, const ShapeTerms& terms,
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
inline FourFloats candidate_times(const ConfigRecord* configs, const MappingConstants& mapping, bool split,
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

// Calls visit(record, corrected time short of the cell's scale) for the candidates of a shape's cell;
// where there are few the first comes again. Returns the cell.
template <class Visit>
[[gnu::always_inline]] inline const TableCell& visit_candidates(
    const TableLayout& layout, const TileShape& shape, const Visit& visit,
    std::span<const std::int64_t> expert_rows = {}) {
  const int row_class = layout.row_class(shape);
  const TableCell& cell = layout.cells[std::size_t(row_class) * layout.grid.size() + layout.grid.cell(shape)];
  const float unit = bias_unit(row_class);
  const Candidate* const all = cell.candidates;
  const ShapeTerms terms(layout.mapping, shape, expert_rows);
  for (std::size_t start = 0; start < kMostCandidates && (start == 0 || !(all[start] == all[0]));
       start += 4) {
    const Candidate four[4] = {all[start], all[start + 1], all[start + 2],
                               start == 0 ? all[3] : all[0]};  // seven places
    const std::size_t first = layout.record_of(row_class, {});
    const FourFloats times =
        candidate_times(layout.records.data() + first, layout.mapping, layout.splits_k, four, terms, unit);
    for (std::size_t i = 0; i < 4; ++i) visit(first + four[i].config(), times[i]);
  }
  return cell;
}

// Microseconds of one configuration: what a pick says of a candidate; of another the formula's time with the
// cell's scale, since nothing more is known of it.
inline float corrected_time(const TableLayout& layout, const TileShape& shape, std::size_t config) {
  const std::size_t record = record_at(layout, shape, config);
  float time = -1;
  const TableCell& cell = visit_candidates(layout, shape, [&](std::size_t candidate, float corrected) {
    if (candidate == record) time = corrected;
  });
  if (time < 0) time = record_time(layout.mapping, layout.records[record], shape);
  return time * cell.scale();
}

}  // namespace warploom
