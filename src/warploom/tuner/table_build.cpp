// Which configurations each cell of shapes needs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/tuner/internal/table_layout.h"

namespace warploom {
namespace {

constexpr int kProbes = 12;  // shapes looked at in one cell
// A configuration within this factor of the best is as good: fewer candidates make a faster pick.
constexpr float kAsGood = 1.003F;
constexpr float kWorthKeeping = 1.02F;

// Share of a configuration's predicted time (in logarithm) that its neighbours decide. Source: H200, every
// second shape of the exhaustive set; flat from 0.1 to 0.2.
constexpr float kNeighbourShare = 0.15F;

// Same tiles, and one step away in warps or stages.
bool are_neighbours(const TileConfig& a, const TileConfig& b) {
  if (!same_macro(a, b) || a == b) return false;
  return std::abs(a.stages - b.stages) + (a.warps != b.warps ? 1 : 0) <= 1;
}

// Times of many configurations at one shape: coefficients as columns, so that several are worked out at once,
// and one mapping for all configurations of the same tiles.
class TimeColumns {
 public:
  TimeColumns(const WaveModel& model, const std::vector<std::uint16_t>& chosen)
      : mapping_(model.kernel, model.gpu), size_(chosen.size()) {
    for (auto& column : columns_) column.resize(size_);
    for (auto& column : work_) column.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      const FittedConfig& fitted = model.configs[chosen[i]];
      const auto found = std::find_if(macros_.begin(), macros_.end(),
                                      [&](const TileConfig& c) { return same_macro(c, fitted.config); });
      macro_of_.push_back(std::size_t(found - macros_.begin()));
      if (found == macros_.end()) {
        macros_.push_back(fitted.config);
        constants_.emplace_back(model.kernel, fitted.config);
      }
      std::array<float, kColumns> row;
      std::memcpy(row.data(), &fitted.coefficients, sizeof row);
      for (std::size_t k = 0; k < kColumns; ++k) columns_[k][i] = row[k];
    }
  }

  // out[i] in us; `out` must have room for all.
  void times(const TileShape& shape, float* __restrict out) {
    works_.clear();
    for (const ConfigConstants& constants : constants_)
      works_.push_back(map_tile(mapping_, shape, constants));
    for (std::size_t i = 0; i < size_; ++i) {
      std::array<float, kWorks> row;
      std::memcpy(row.data(), &works_[macro_of_[i]], sizeof row);
      for (std::size_t k = 0; k < kWorks; ++k) work_[k][i] = row[k];
    }
    const float* __restrict c[kColumns];
    const float* __restrict w[kWorks];
    for (std::size_t k = 0; k < kColumns; ++k) c[k] = columns_[k].data();
    for (std::size_t k = 0; k < kWorks; ++k) w[k] = work_[k].data();
    for (std::size_t i = 0; i < size_; ++i) {
      const WaveCoefficients<float> one{c[0][i],
                                        c[1][i],
                                        c[2][i],
                                        c[3][i],
                                        c[4][i],
                                        c[5][i],
                                        c[6][i],
                                        c[7][i],
                                        c[8][i],
                                        c[9][i],
                                        c[10][i],
                                        c[11][i],
                                        c[12][i],
                                        c[13][i],
                                        c[14][i],
                                        c[15][i],
                                        {c[16][i], c[17][i], c[18][i], c[19][i], c[20][i], c[21][i]}};
      const TileWork work{w[0][i], w[1][i], w[2][i], w[3][i], w[4][i], w[5][i], w[6][i], w[7][i]};
      out[i] = wave_time(one, work);
    }
  }

 private:
  static constexpr std::size_t kColumns = sizeof(WaveCoefficients<float>) / sizeof(float);
  static constexpr std::size_t kWorks = sizeof(TileWork) / sizeof(float);
  static_assert(kColumns == 22 && kWorks == 8);

  MappingConstants mapping_;
  std::size_t size_;
  std::vector<TileConfig> macros_;
  std::vector<ConfigConstants> constants_;
  std::vector<std::size_t> macro_of_;
  std::vector<TileWork> works_;
  std::array<std::vector<float>, kColumns> columns_;
  std::array<std::vector<float>, kWorks> work_;
};

// A log-uniform shape inside the cell; n and k mostly multiples of 16 and often the round number at the
// cell's end, as models have them.
TileShape probe(const ShapeCells& grid, std::size_t cell, RandomStream& draw) {
  const auto corner = grid.corner(cell);
  std::int64_t value[3];
  const bool even = draw.uniform() < 0.8;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t first = corner[axis] == 0 ? 1 : half_octave_start(corner[axis]) + 1;
    const std::int64_t last = half_octave_start(corner[axis] + 1);
    std::int64_t v = last;
    if (draw.uniform() < 0.7) {
      v = static_cast<std::int64_t>(double(first) * std::pow(double(last) / double(first), draw.uniform()));
      if (even && axis > 0 && v >= 32) v -= v % 16;
    }
    value[axis] = std::clamp(v, first, std::max(first, last));
  }
  return {.m = value[0], .n = value[1], .k = value[2]};
}

// Which configurations come near the best anywhere, and the mean predicted loss of each.
struct Survey {
  std::vector<std::uint16_t> near;  // ascending
  std::vector<double> loss;         // sums of ln(time / best)
};
Survey survey(const WaveModel& model, const ShapeCells& grid) {
  std::vector<std::uint16_t> all(model.configs.size());
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  TimeColumns columns(model, all);
  std::vector<float> times(all.size());
  std::vector<bool> kept(all.size(), false);
  Survey found{.loss = std::vector<double>(all.size(), 0.0)};
  for (std::size_t cell = 0; cell < grid.size(); cell += 7) {
    RandomStream draw(cell, "tune survey");
    columns.times(probe(grid, cell, draw), times.data());
    const float best = *std::min_element(times.begin(), times.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      found.loss[i] += std::log(double(times[i] / best));
      if (times[i] < best * kWorthKeeping) kept[i] = true;
    }
  }
  for (const std::uint16_t i : all) {
    if (kept[i]) found.near.push_back(i);
  }
  return found;
}

class CellSearch {
 public:
  // Candidates come from `near` (ascending, with the default); their neighbours are looked at too.
  CellSearch(const WaveModel& model, const ShapeCells& grid, const std::vector<std::uint16_t>& near,
             std::uint32_t fallback)
      : grid_(grid), near_(near), fallback_(fallback), columns_(model, with_neighbours(model, near)) {
    times_.resize(used_.size());
    ratio_.resize(near.size() * kProbes);
    lift_.resize(near.size());
  }

  // The fewest candidates (greedily) such that each probe finds one as good as the best.
  CellRecord fill(std::size_t cell) {
    RandomStream draw(cell, "tune cell");
    const std::size_t count = near_.size();
    std::fill(lift_.begin(), lift_.end(), 0.0F);
    for (int p = 0; p < kProbes; ++p) {
      columns_.times(probe(grid_, cell, draw), times_.data());
      float* row = ratio_.data() + std::size_t(p) * count;
      for (std::size_t i = 0; i < count; ++i) row[i] = times_[own_[i]];
      const float least = *std::min_element(row, row + count);
      for (std::size_t i = 0; i < count; ++i) {
        // Far from the best nothing depends on a few per cent.
        if (row[i] < 1.3F * least) {
          const float raised = raise(i, row[i]);
          lift_[i] += raised - 1.0F;
          row[i] *= raised;
        }
        if (near_[i] == fallback_) row[i] *= kDefaultMargin;
      }
      const float best = *std::min_element(row, row + count);
      for (std::size_t i = 0; i < count; ++i) row[i] /= best;
    }
    return cover();
  }

 private:
  // Fills used_, own_ and neighbours_; gives used_.
  const std::vector<std::uint16_t>& with_neighbours(const WaveModel& model,
                                                    const std::vector<std::uint16_t>& near) {
    std::vector<std::size_t> place(model.configs.size(), model.configs.size());
    const auto place_of = [&](std::size_t config) {
      if (place[config] == model.configs.size()) {
        place[config] = used_.size();
        used_.push_back(static_cast<std::uint16_t>(config));
      }
      return place[config];
    };
    for (const std::uint16_t config : near) {
      own_.push_back(place_of(config));
      auto& beside = neighbours_.emplace_back();
      for (std::size_t i = 0; i < model.configs.size(); ++i) {
        if (are_neighbours(model.configs[config].config, model.configs[i].config))
          beside.push_back(place_of(i));
      }
    }
    return used_;
  }

  // Factor by which the neighbours move a predicted time.
  float raise(std::size_t index, float own) const {
    const auto& beside = neighbours_[index];
    if (beside.empty()) return 1.0F;
    float sum = 0;
    for (const std::size_t other : beside) sum += times_[other];
    const float ratio = sum / (static_cast<float>(beside.size()) * own);
    return 1.0F + kNeighbourShare * std::clamp(std::log(ratio), -1.0F, 1.0F);
  }

  CellRecord cover() const {
    const std::size_t count = near_.size();
    CellRecord record{};
    std::array<float, kProbes> reached;
    reached.fill(std::numeric_limits<float>::max());
    bool done = false;
    while (!done && record.count < kMostCandidates) {
      std::size_t best = 0;
      float best_sum = std::numeric_limits<float>::max();
      for (std::size_t i = 0; i < count; ++i) {
        float sum = 0;
        for (std::size_t p = 0; p < kProbes; ++p)
          sum += std::max(kAsGood, std::min({reached[p], ratio_[p * count + i], 100.0F}));
        if (sum < best_sum) {
          best_sum = sum;
          best = i;
        }
      }
      record.candidates[record.count] = near_[best];
      record.bias[record.count++] =
          static_cast<std::int8_t>(std::clamp(std::lround(lift_[best] / kProbes / kBiasUnit), -127L, 127L));
      done = true;
      for (std::size_t p = 0; p < kProbes; ++p) {
        reached[p] = std::min(reached[p], ratio_[p * count + best]);
        done = done && reached[p] <= kAsGood;
      }
    }
    return record;
  }

  ShapeCells grid_;
  std::vector<std::uint16_t> near_, used_;  // configurations; used_ = near_ and their neighbours
  std::vector<std::size_t> own_;            // place of near_[i] in used_
  std::vector<std::vector<std::size_t>> neighbours_;
  std::uint32_t fallback_;
  TimeColumns columns_;
  std::vector<float> times_, ratio_, lift_;
};

std::uint32_t default_index(const WaveModel& model, const TableOptions& options,
                            const std::vector<double>& loss) {
  if (!options.default_config)
    return static_cast<std::uint32_t>(std::min_element(loss.begin(), loss.end()) - loss.begin());
  for (std::size_t i = 0; i < model.configs.size(); ++i) {
    if (model.configs[i].config == *options.default_config) return static_cast<std::uint32_t>(i);
  }
  throw InvalidInput(fmt::format("default configuration {}: not among the {} measured ones",
                                 config_text(*options.default_config), model.configs.size()));
}

}  // namespace

RuntimeTable RuntimeTable::build(const WaveModel& model, const TableOptions& options) {
  if (model.configs.empty() || model.configs.size() > 4096)
    throw InvalidInput(
        fmt::format("tune table: {} configurations, expected 1 to 4096", model.configs.size()));
  const ShapeCells grid = ShapeCells::of(model.kernel.kind);
  Survey found = survey(model, grid);
  const std::uint32_t fallback = default_index(model, options, found.loss);
  std::vector<std::uint16_t>& near = found.near;
  if (!std::binary_search(near.begin(), near.end(), fallback))
    near.insert(std::upper_bound(near.begin(), near.end(), fallback), static_cast<std::uint16_t>(fallback));
  CellSearch search(model, grid, near, fallback);
  std::vector<CellRecord> cells(grid.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell] = search.fill(cell);
  return from_bytes(table_bytes(model, options, grid, fallback, cells), "tune table");
}

}  // namespace warploom
