// Which configurations each cell of shapes needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
constexpr float kNeighbourShare = 0.25F;

// Same tiles, and one step away in warps or stages.
bool are_neighbours(const TileConfig& a, const TileConfig& b) {
  if (!same_macro(a, b) || a == b) return false;
  return std::abs(a.stages - b.stages) + (a.warps != b.warps ? 1 : 0) <= 1;
}

class CellSearch {
 public:
  CellSearch(const WaveModel& model, const ShapeCells& grid)
      : mapping_(model.kernel, model.gpu), grid_(grid) {
    for (const FittedConfig& fitted : model.configs) {
      constants_.emplace_back(model.kernel, fitted.config);
      coefficients_.push_back(fitted.coefficients);
      auto& near = neighbours_.emplace_back();
      for (std::size_t i = 0; i < model.configs.size(); ++i) {
        if (are_neighbours(fitted.config, model.configs[i].config)) near.push_back(i);
      }
    }
  }

  // Which configurations come near the best anywhere, and the mean predicted loss of each.
  void survey(std::vector<std::uint16_t>& near, std::vector<double>& loss) const {
    const std::size_t count = constants_.size();
    std::vector<float> times(count);
    std::vector<bool> kept(count, false);
    loss.assign(count, 0);
    for (std::size_t cell = 0; cell < grid_.size(); cell += 7) {
      RandomStream draw(cell, "tune survey");
      const TileShape shape = probe(cell, draw);
      for (std::size_t i = 0; i < count; ++i) times[i] = time_of(i, shape);
      const float best = *std::min_element(times.begin(), times.end());
      for (std::size_t i = 0; i < count; ++i) {
        loss[i] += std::log(double(times[i] / best));
        if (times[i] < best * kWorthKeeping) kept[i] = true;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (kept[i]) near.push_back(static_cast<std::uint16_t>(i));
    }
  }

  // The fewest configurations of `near` (greedily) such that each probe finds one as good as the best.
  CellRecord fill(std::size_t cell, const std::vector<std::uint16_t>& near, std::uint32_t fallback) const {
    RandomStream draw(cell, "tune cell");
    const std::size_t count = near.size();
    std::vector<float> ratio(count * kProbes), lift(count, 0.0F);
    for (int p = 0; p < kProbes; ++p) {
      const TileShape shape = probe(cell, draw);
      float* row = ratio.data() + std::size_t(p) * count;
      for (std::size_t i = 0; i < count; ++i) row[i] = time_of(near[i], shape);
      const float least = *std::min_element(row, row + count);
      for (std::size_t i = 0; i < count; ++i) {
        // Far from the best nothing depends on a few per cent.
        if (row[i] < 1.3F * least) {
          const float raised = lift_of(near[i], shape, row[i]);
          lift[i] += raised - 1.0F;
          row[i] *= raised;
        }
        if (near[i] == fallback) row[i] *= kDefaultMargin;
      }
      const float best = *std::min_element(row, row + count);
      for (std::size_t i = 0; i < count; ++i) row[i] /= best;
    }
    return cover(ratio, lift, near);
  }

 private:
  float time_of(std::size_t index, const TileShape& shape) const {
    return wave_time(coefficients_[index], map_tile(mapping_, shape, constants_[index]));
  }

  // Factor by which the neighbours move a predicted time.
  float lift_of(std::size_t index, const TileShape& shape, float own) const {
    const auto& near = neighbours_[index];
    if (near.empty()) return 1.0F;
    float sum = 0;
    for (const std::size_t other : near) sum += time_of(other, shape);
    const float ratio = sum / (static_cast<float>(near.size()) * own);
    return 1.0F + kNeighbourShare * std::clamp(std::log(ratio), -1.0F, 1.0F);
  }

  // A log-uniform shape inside the cell; n and k mostly multiples of 16 and often the round number at the
  // cell's end, as models have them.
  TileShape probe(std::size_t cell, RandomStream& draw) const {
    const auto corner = grid_.corner(cell);
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

  CellRecord cover(const std::vector<float>& ratio, const std::vector<float>& lift,
                   const std::vector<std::uint16_t>& near) const {
    const std::size_t count = near.size();
    CellRecord record{};
    std::array<float, kProbes> reached;
    reached.fill(std::numeric_limits<float>::max());
    while (record.count < kMostCandidates) {
      std::size_t best = 0;
      double best_sum = std::numeric_limits<double>::max();
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t p = 0; p < kProbes; ++p)
          sum += double(std::max(kAsGood, std::min(reached[p], ratio[p * count + i])));
        if (sum < best_sum) {
          best_sum = sum;
          best = i;
        }
      }
      record.candidates[record.count] = near[best];
      record.bias[record.count++] = static_cast<std::int8_t>(std::lround(lift[best] / kProbes / kBiasUnit));
      bool done = true;
      for (std::size_t p = 0; p < kProbes; ++p) {
        reached[p] = std::min(reached[p], ratio[p * count + best]);
        done = done && reached[p] <= kAsGood;
      }
      if (done) break;
    }
    return record;
  }

  MappingConstants mapping_;
  ShapeCells grid_;
  std::vector<ConfigConstants> constants_;
  std::vector<WaveCoefficients<float>> coefficients_;
  std::vector<std::vector<std::size_t>> neighbours_;
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
  const CellSearch search(model, grid);
  std::vector<std::uint16_t> near;  // ascending
  std::vector<double> loss;
  search.survey(near, loss);
  const std::uint32_t fallback = default_index(model, options, loss);
  if (!std::binary_search(near.begin(), near.end(), fallback))
    near.insert(std::upper_bound(near.begin(), near.end(), fallback), static_cast<std::uint16_t>(fallback));
  std::vector<CellRecord> cells(grid.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell] = search.fill(cell, near, fallback);
  return from_bytes(table_bytes(model, options, grid, fallback, cells), "tune table");
}

}  // namespace warploom
