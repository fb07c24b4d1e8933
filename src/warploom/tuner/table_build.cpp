// Which configurations each cell of shapes needs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/base/random.h"
#include "warploom/tuner/internal/cell_biases.h"
#include "warploom/tuner/internal/table_layout.h"
#include "warploom/tuner/internal/wave_columns.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/time_correction.h"

namespace warploom {
namespace {

constexpr int kProbes = 32;  // shapes looked at in one cell
// A configuration within this factor of the best is as good: fewer candidates make a faster pick.
constexpr float kAsGood = 1.001F;
// Cells of a block (so many along each axis) share the configurations that come this near the best somewhere
// in it, at most so many of them.
constexpr int kBlock = 2;
constexpr float kNear = 1.08F;
constexpr std::size_t kMostNear = 32;
constexpr std::size_t kFilled = 4;  // candidates that a look-up works out at once
constexpr float kOtherTiles = 1.06F;
constexpr std::size_t kBlockProbes = 64;
// The first kFirstProbes probes are evaluated for every configuration, the rest for those within
// kWithinReach.
constexpr std::size_t kFirstProbes = 16;
constexpr float kWithinReach = 1.5F;
constexpr std::size_t kBiasPlaces = 24;
// The formula alone, before it is corrected: far enough from the best not to be looked at.
constexpr float kFar = 1.5F, kFarNarrow = 6.0F;
constexpr float kAnyTime = std::numeric_limits<float>::max();

// A place in a cell: shares of the way from its first to its last value of m, n, k on a logarithmic scale,
// and which of the alignments that the class of rows has.
struct Place {
  std::array<double, 3> along{};
  int alignment = 0;
};

// Elements beyond whole lines of 64 that rows of K have.
std::int64_t elements_beyond(int row_class, int alignment) {
  switch (row_class) {
    case kWholeLines:
      return 0;
    case kHalfLines:
      return 32;
    case kQuarterLines:
      return alignment % 2 == 0 ? 16 : 48;
    case kNarrowLoads:
    case kNarrowBoth:
      return 1;
    default:
      return 16 * (alignment % 4);
  }
}

// The shape there, with rows of that class; n a multiple of 16, or one more.
TileShape shape_in(const ShapeCells& grid, std::size_t cell, const TileKernel& kernel, int row_class,
                   const Place& place) {
  const auto corner = grid.corner(cell);
  const bool rows_of_k = !reads_keys(kernel.kind);
  std::int64_t value[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t first = half_octave_start(corner[axis]) + 1;
    const std::int64_t last = std::max(first, half_octave_start(corner[axis] + 1));
    const double ratio = double(last) / double(first);
    std::int64_t v = std::llround(double(first) * std::pow(ratio, place.along[axis]));
    const bool narrow_stores = row_class == kNarrowStores || row_class == kNarrowBoth;
    if (rows_of_k && axis == 1) v = (v + 15) / 16 * 16 + (narrow_stores ? 1 : 0);
    if (rows_of_k && axis == 2) {
      constexpr std::int64_t line = 64;
      const std::int64_t beyond = elements_beyond(row_class, place.alignment);
      v = std::max<std::int64_t>(1, v / line * line + beyond);
    }
    value[axis] = v;
  }
  return {.m = value[0], .n = value[1], .k = value[2]};
}

// Probe `index` of a cell: first its corners in m and n, where a wave is just full or just begun, then places
// drawn at random, among them the round numbers at the cell's end that models have.
Place probe(const TileKernel& kernel, int index, RandomStream& draw) {
  Place place;
  for (double& along : place.along) along = draw.uniform() < 0.25 ? 1.0 : draw.uniform();
  if (index < 4) place.along = {index % 2 == 0 ? 0.0 : 1.0, index < 2 ? 0.0 : 1.0, place.along[2]};
  if (index >= 4 && index < 8) place.along[std::size_t(index % 2)] = 0.0;
  // Heads times batch is a round number.
  if (reads_keys(kernel.kind) && index % 4 != 0) place.along[2] = 1.0;
  place.alignment = index;
  return place;
}

// Where a cell's corrections are taken while candidates are looked for: in each half of it. They change with
// the waves, so that one for the whole cell would be wrong by a percent or two.
constexpr std::size_t kLooks = 2;
Place look(std::size_t half) { return {{half == 0 ? 0.25 : 0.75, half == 0 ? 0.25 : 0.75, 0.6}, int(half)}; }
std::size_t look_near(const Place& place) { return place.along[0] + place.along[1] < 1 ? 0U : 1U; }
constexpr Place kMiddle = {{0.6, 0.6, 0.6}, 1};

// The formula's times of some configurations, and what the correction says beside it.
class CorrectedTimes {
 public:
  CorrectedTimes(const WaveModel& model, const TimeCorrection* correction, std::vector<std::uint16_t> chosen)
      : model_(&model), correction_(correction), chosen_(std::move(chosen)), columns_(model, chosen_) {
    times_.resize(chosen_.size());
  }
  std::size_t size() const { return chosen_.size(); }
  std::uint16_t config(std::size_t i) const { return chosen_[i]; }

  // The formula's times; `out` as long as size().
  void formula(const TileShape& shape, float* out) { columns_.times(shape, out); }
  // time / formula at each shape of those within `far` of the formula's best (the others keep 1); one row of
  // size() a shape. All shapes are asked together, since a learner answers many rows at once.
  void corrections(std::span<const TileShape> shapes, float far, std::vector<float>& out) {
    out.assign(shapes.size() * size(), 1.0F);
    if (correction_ == nullptr) return;
    queries_.clear();
    places_.clear();
    for (std::size_t at = 0; at < shapes.size(); ++at) {
      columns_.times(shapes[at], times_.data());
      const float limit = far * *std::min_element(times_.begin(), times_.end());
      for (std::size_t i = 0; i < size(); ++i) {
        if (times_[i] > limit) continue;
        queries_.push_back({.config = &model_->configs[chosen_[i]],
                            .shape = shapes[at],
                            .work = columns_.work(i),
                            .predicted_us = times_[i]});
        places_.push_back(at * size() + i);
      }
    }
    ratios_.resize(queries_.size());
    correction_->log_ratios(model_->kernel, queries_, ratios_);
    for (std::size_t i = 0; i < places_.size(); ++i) out[places_[i]] = std::exp(ratios_[i]);
  }

 private:
  const WaveModel* model_;
  const TimeCorrection* correction_;
  std::vector<std::uint16_t> chosen_;
  WaveColumns columns_;
  std::vector<float> times_, ratios_;
  std::vector<CorrectionQuery> queries_;
  std::vector<std::size_t> places_;
};

// The fewest candidates (greedily) such that each probe finds one as good as the best. `costs` holds one row
// a probe: time over the best time there.
std::vector<std::size_t> cover(const std::vector<float>& costs, std::size_t count) {
  std::array<float, kProbes> reached;
  reached.fill(std::numeric_limits<float>::max());
  std::vector<std::size_t> candidates;
  bool done = false;
  while (!done && candidates.size() < kMostCandidates) {
    std::size_t best = 0;
    float best_sum = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < count; ++i) {
      float sum = 0;
      for (std::size_t p = 0; p < kProbes; ++p)
        sum += std::max(kAsGood, std::min({reached[p], costs[p * count + i], 100.0F}));
      if (sum < best_sum) {
        best_sum = sum;
        best = i;
      }
    }
    candidates.push_back(best);
    done = true;
    for (std::size_t p = 0; p < kProbes; ++p) {
      reached[p] = std::min(reached[p], costs[p * count + best]);
      done = done && reached[p] <= kAsGood;
    }
  }
  return candidates;
}

class CellSearch {
 public:
  CellSearch(const WaveModel& model, const TimeCorrection* correction, const ShapeCells& grid,
             std::uint32_t fallback)
      : model_(model),
        correction_(correction),
        grid_(grid),
        fallback_(fallback),
        all_(model, correction, everything(model)) {}

  // Fills the cells of one class of narrow loads alone; the model is of those, whose records cells count from
  // `offset` on.
  void fill_narrow(const std::vector<std::size_t>& block, int row_class, std::size_t offset,
                   TableCell* cells) {
    offset_ = offset;
    CorrectedTimes near(model_, correction_, shortlist(block, row_class));
    fill(block, row_class, near, cells + std::size_t(row_class) * grid_.size());
  }

  // Fills the block's cells of every class of rows; `cells` come class by class. Rows that load and store
  // widely differ by a few percent: their classes share one shortlist.
  void fill(const std::vector<std::size_t>& block, int row_classes, TableCell* cells) {
    const auto fill_like = [&](int listed, std::initializer_list<int> alike) {
      CorrectedTimes near(model_, correction_, shortlist(block, listed));
      for (const int row_class : alike)
        fill(block, row_class, near, cells + std::size_t(row_class) * grid_.size());
    };
    if (row_classes == 1) return fill_like(kWholeLines, {kWholeLines});
    fill_like(kHalfLines, {kWholeLines, kHalfLines, kQuarterLines});
    if (model_.narrow.empty()) fill_like(kNarrowLoads, {kNarrowLoads});
    fill_like(kNarrowStores, {kNarrowStores});
  }

 private:
  void fill(const std::vector<std::size_t>& block, int row_class, CorrectedTimes& near, TableCell* cells) {
    std::vector<TileShape> looks;
    for (const std::size_t cell : block)
      for (std::size_t half = 0; half < kLooks; ++half)
        looks.push_back(shape_in(grid_, cell, model_.kernel, row_class, look(half)));
    std::vector<float> ratios, costs(kProbes * near.size());
    near.corrections(looks, kAnyTime, ratios);
    std::array<std::size_t, kProbes> look_of;
    for (std::size_t at = 0; at < block.size(); ++at) {
      const std::size_t cell = block[at];
      RandomStream draw(cell, "tune cell");
      for (std::size_t p = 0; p < kProbes; ++p) {
        float* row = costs.data() + p * near.size();
        const Place place = probe(model_.kernel, int(p), draw);
        look_of[p] = at * kLooks + look_near(place);
        near.formula(shape_in(grid_, cell, model_.kernel, row_class, place), row);
        const float* ratio = ratios.data() + look_of[p] * near.size();
        float best = std::numeric_limits<float>::max();
        for (std::size_t i = 0; i < near.size(); ++i) {
          row[i] *= ratio[i] * (near.config(i) == fallback_ ? kDefaultMargin : 1.0F);
          best = std::min(best, row[i]);
        }
        for (std::size_t i = 0; i < near.size(); ++i) row[i] /= best;
      }
      std::vector<std::size_t> candidates = cover(costs, near.size());
      add_other_tiles(near, costs, candidates);
      std::vector<std::uint16_t> chosen;
      for (const std::size_t i : candidates) chosen.push_back(near.config(i));
      const CellBiases biases = biases_of(chosen, cell, row_class);
      for (std::size_t i = 0; i < kMostCandidates; ++i) {
        const std::size_t taken = i < chosen.size() ? i : 0;
        cells[cell].candidates[i] =
            Candidate::of(offset_ + chosen[taken], biases.factors[taken], bias_unit(row_class));
      }
      cells[cell].set_scale(biases.scale);
    }
  }

  // The corrections of a cell's candidates, from places all over it.
  CellBiases biases_of(const std::vector<std::uint16_t>& chosen, std::size_t cell, int row_class) {
    CorrectedTimes candidates(model_, correction_, chosen);
    RandomStream draw(cell, "tune bias");
    std::vector<TileShape> places;
    for (std::size_t p = 0; p < kBiasPlaces; ++p)
      places.push_back(
          shape_in(grid_, cell, model_.kernel, row_class, probe(model_.kernel, int(p) + 8, draw)));
    const std::size_t count = chosen.size();
    std::vector<float> ratios, formula(kBiasPlaces * count);
    candidates.corrections(places, kAnyTime, ratios);
    for (std::size_t p = 0; p < kBiasPlaces; ++p) {
      candidates.formula(places[p], formula.data() + p * count);
      for (std::size_t i = 0; i < count; ++i)
        if (chosen[i] == fallback_) formula[p * count + i] *= kDefaultMargin;
    }
    return cell_biases(formula, ratios, count);
  }

  // Tiles of another form may fill a wave exactly where no probe fell: the most promising ones that are not
  // there yet, as far as they cost the look-up nothing.
  void add_other_tiles(const CorrectedTimes& near, const std::vector<float>& costs,
                       std::vector<std::size_t>& candidates) const {
    const auto config = [&](std::size_t i) { return model_.configs[near.config(i)].config; };
    while (candidates.size() < kFilled) {
      std::size_t best = near.size();
      float least = kOtherTiles;
      for (std::size_t i = 0; i < near.size(); ++i) {
        if (std::any_of(candidates.begin(), candidates.end(),
                        [&](std::size_t other) { return same_macro(config(i), config(other)); }))
          continue;
        float cost = std::numeric_limits<float>::max();
        for (std::size_t p = 0; p < kProbes; ++p) cost = std::min(cost, costs[p * near.size() + i]);
        if (cost < least) {
          least = cost;
          best = i;
        }
      }
      if (best == near.size()) return;
      candidates.push_back(best);
    }
  }

  static std::vector<std::uint16_t> everything(const WaveModel& model) {
    std::vector<std::uint16_t> all(model.configs.size());
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    return all;
  }

  // The configurations that come near the best somewhere in the block. All are looked at in few places, and
  // those that come within reach there in many.
  std::vector<std::uint16_t> shortlist(const std::vector<std::size_t>& block, int row_class) {
    std::vector<float> biases;
    const TileShape looks[] = {shape_in(grid_, block.front(), model_.kernel, row_class, kMiddle),
                               shape_in(grid_, block.back(), model_.kernel, row_class, kMiddle)};
    const std::size_t count = all_.size();
    all_.corrections(looks, row_class == kNarrowLoads ? kFarNarrow : kFar, biases);
    for (std::size_t i = 0; i < count; ++i) biases[i] = std::sqrt(biases[i] * biases[count + i]);
    // Full and begun waves change times by a third within a cell, corrections change slowly.
    RandomStream draw(block.front(), "tune block");
    std::vector<TileShape> places;
    for (std::size_t p = 0; p < kBlockProbes; ++p)
      places.push_back(shape_in(grid_, block[p % block.size()], model_.kernel, row_class,
                                probe(model_.kernel, static_cast<int>(p / block.size()), draw)));
    const std::span<const TileShape> all_places(places);
    const std::vector<float> first = least_costs(all_, biases, all_places.first(kFirstProbes));
    std::vector<std::uint16_t> reached;
    std::vector<float> own_biases, least;
    for (std::size_t i = 0; i < count; ++i) {
      if (first[i] >= kWithinReach) continue;
      reached.push_back(static_cast<std::uint16_t>(i));
      own_biases.push_back(biases[i]);
      least.push_back(first[i]);
    }
    CorrectedTimes few(model_, nullptr, reached);
    const std::vector<float> rest = least_costs(few, own_biases, all_places.subspan(kFirstProbes));
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], rest[i]);
    return nearest(reached, least);
  }

  // The least time over the best time of each configuration over the places.
  static std::vector<float> least_costs(CorrectedTimes& times, const std::vector<float>& biases,
                                        std::span<const TileShape> places) {
    std::vector<float> least(times.size(), kAnyTime), time(times.size());
    for (const TileShape& place : places) {
      times.formula(place, time.data());
      float best = kAnyTime;
      for (std::size_t i = 0; i < time.size(); ++i) best = std::min(best, time[i] *= biases[i]);
      for (std::size_t i = 0; i < time.size(); ++i) least[i] = std::min(least[i], time[i] / best);
    }
    return least;
  }

  // Those near the best, kMostNear of them at most, and the default.
  std::vector<std::uint16_t> nearest(const std::vector<std::uint16_t>& configs,
                                     const std::vector<float>& least) const {
    std::vector<std::size_t> order(configs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return least[a] < least[b]; });
    std::vector<std::uint16_t> kept;
    for (const std::size_t i : order) {
      if (!kept.empty() && (kept.size() == kMostNear || least[i] >= kNear)) break;
      kept.push_back(configs[i]);
    }
    const bool has_fallback = fallback_ < model_.configs.size();
    if (has_fallback && std::find(kept.begin(), kept.end(), fallback_) == kept.end())
      kept.push_back(static_cast<std::uint16_t>(fallback_));
    std::sort(kept.begin(), kept.end());
    return kept;
  }

  const WaveModel& model_;
  const TimeCorrection* correction_;
  ShapeCells grid_;
  std::uint32_t fallback_;
  std::size_t offset_ = 0;
  CorrectedTimes all_;
};

// Blocks of neighbouring cells, each cell in one.
std::vector<std::vector<std::size_t>> blocks_of(const ShapeCells& grid) {
  const auto along = [&](std::size_t axis) { return (std::size_t(grid.count[axis]) + kBlock - 1) / kBlock; };
  std::vector<std::vector<std::size_t>> blocks(along(0) * along(1) * along(2));
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    const auto n = std::size_t(grid.count[1]), k = std::size_t(grid.count[2]);
    const std::size_t a = cell / (n * k) / kBlock, b = cell / k % n / kBlock, c = cell % k / kBlock;
    blocks[(a * along(1) + b) * along(2) + c].push_back(cell);
  }
  return blocks;
}

// The configuration with the least mean predicted loss, where the caller names none.
std::uint32_t default_index(const WaveModel& model, const TableOptions& options, const ShapeCells& grid) {
  if (options.default_config) {
    for (std::size_t i = 0; i < model.configs.size(); ++i) {
      if (model.configs[i].config == *options.default_config) return static_cast<std::uint32_t>(i);
    }
    throw InvalidInput(fmt::format("default configuration {}: not among the {} measured ones",
                                   config_text(*options.default_config), model.configs.size()));
  }
  std::vector<std::uint16_t> all(model.configs.size());
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  WaveColumns columns(model, all);
  std::vector<float> times(all.size());
  std::vector<double> loss(all.size(), 0.0);
  for (std::size_t cell = 0; cell < grid.size(); cell += 7) {
    columns.times(shape_in(grid, cell, model.kernel, 0, kMiddle), times.data());
    const float best = *std::min_element(times.begin(), times.end());
    for (std::size_t i = 0; i < all.size(); ++i) loss[i] += std::log(double(times[i] / best));
  }
  return static_cast<std::uint32_t>(std::min_element(loss.begin(), loss.end()) - loss.begin());
}

// The place of the default, or of what differs from it in stages alone; the count where there is none.
std::uint32_t place_of(const TileConfig& fallback, const std::vector<FittedConfig>& configs) {
  const auto found = std::find_if(configs.begin(), configs.end(), [&](const FittedConfig& fitted) {
    return same_but_stages(fitted.config, fallback);
  });
  return static_cast<std::uint32_t>(found - configs.begin());
}

// The cells of one class of narrow loads, as a model of their own without corrections.
void fill_narrow_cells(const WaveModel& model, const ShapeCells& grid, const TileConfig& fallback,
                       int row_class, std::vector<TableCell>& cells) {
  const bool both = row_class == kNarrowBoth;
  const WaveModel narrow{
      .kernel = model.kernel, .gpu = model.gpu, .configs = both ? model.both : model.narrow};
  if (narrow.configs.empty()) return;
  const auto blocks = blocks_of(grid);
  const std::uint32_t place = place_of(fallback, narrow.configs);
  const std::size_t offset = both ? 0 : model.configs.size();
  parallel_for_each_thread(blocks.size(), 0, [&] {
    const auto search = std::make_shared<CellSearch>(narrow, nullptr, grid, place);
    return [&, search](std::size_t block) {
      search->fill_narrow(blocks[block], row_class, offset, cells.data());
    };
  });
}

}  // namespace

RuntimeTable RuntimeTable::build(const WaveModel& model, const TableOptions& options) {
  const std::size_t records = std::max(model.configs.size() + model.narrow.size(), model.both.size());
  if (model.configs.empty() || records > kMostConfigs)
    throw InvalidInput(fmt::format("tune table: {} configurations, expected 1 to {}", records, kMostConfigs));
  const ShapeCells grid = ShapeCells::of(model.kernel.kind);
  const std::uint32_t fallback = default_index(model, options, grid);
  const int row_classes = row_classes_of(model.kernel.kind, !model.both.empty());
  std::vector<TableCell> cells(grid.size() * std::size_t(row_classes));
  const auto blocks = blocks_of(grid);
  parallel_for_each_thread(blocks.size(), 0, [&] {
    const auto search = std::make_shared<CellSearch>(model, options.correction, grid, fallback);
    return [&, search](std::size_t block) { search->fill(blocks[block], row_classes, cells.data()); };
  });
  const TileConfig& own = model.configs[fallback].config;
  if (row_classes > 1) fill_narrow_cells(model, grid, own, kNarrowLoads, cells);
  if (row_classes > kNarrowBoth) fill_narrow_cells(model, grid, own, kNarrowBoth, cells);
  return from_bytes(table_bytes(model, options, grid, fallback, cells), "tune table");
}

}  // namespace warploom
