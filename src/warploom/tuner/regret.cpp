#include "warploom/tuner/regret.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"

namespace warploom {
namespace {

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / double(values.size()));
}

ShapeRegret row_of(const OracleShape& oracle, const TileConfig& picked, double picked_us, double predicted_us,
                   const TileConfig& default_config) {
  const TileSample& best = oracle.best();
  return {.shape = oracle.shape,
          .picked = picked,
          .best = best.config,
          .picked_us = picked_us,
          .best_us = best.median_us,
          .predicted_us = predicted_us,
          .default_us = oracle.time_of(default_config),
          .library_us = oracle.library_us};
}

}  // namespace

const TileSample& OracleShape::best() const {
  return *std::min_element(samples.begin(), samples.end(), [](const TileSample& a, const TileSample& b) {
    return a.median_us < b.median_us;
  });
}

std::optional<double> OracleShape::time_of(const TileConfig& config) const {
  for (const TileSample& sample : samples) {
    if (sample.config == config) return sample.median_us;
  }
  return std::nullopt;
}

std::vector<OracleShape> oracle_shapes(const TileSamples& samples) {
  std::vector<OracleShape> shapes;
  std::map<TileShape, std::size_t> index;
  std::set<std::pair<std::size_t, TileConfig>> seen;
  for (const TileSample& sample : samples.rows) {
    const auto [place, added] = index.emplace(sample.shape, shapes.size());
    if (added) shapes.push_back({.shape = sample.shape});
    // The least of several timings of one configuration would be an oracle of luck.
    if (seen.emplace(place->second, sample.config).second) shapes[place->second].samples.push_back(sample);
  }
  for (const TileSample& sample : samples.library) {
    const auto place = index.find(sample.shape);
    if (place != index.end()) shapes[place->second].library_us = sample.median_us;
  }
  return shapes;
}

RegretSummary summarize(std::span<const ShapeRegret> rows) {
  RegretSummary summary{.shapes = rows.size()};
  std::vector<double> shares, errors, speedups;
  for (const ShapeRegret& row : rows) {
    shares.push_back(row.share());
    if (row.predicted_us > 0) errors.push_back(std::abs(row.predicted_us / row.picked_us - 1));
    if (row.default_us) speedups.push_back(*row.default_us / row.picked_us);
  }
  if (rows.empty()) return summary;
  summary.geo_mean_share = geometric_mean(shares);
  summary.mean_share = mean(shares);
  summary.worst_share = *std::min_element(shares.begin(), shares.end());
  summary.p10_share = quantile(shares, 0.1);
  if (!errors.empty()) summary.pick_error_median = quantile(errors, 0.5);
  if (!speedups.empty()) {
    summary.geo_mean_speedup = geometric_mean(speedups);
    summary.best_speedup = *std::max_element(speedups.begin(), speedups.end());
    summary.worst_speedup = *std::min_element(speedups.begin(), speedups.end());
  }
  return summary;
}

std::vector<ShapeRegret> regret_of(std::span<const OracleShape> shapes, const Chooser& chooser,
                                   const TileConfig& default_config) {
  std::vector<ShapeRegret> rows;
  for (const OracleShape& oracle : shapes) {
    const std::vector<double> times = chooser(oracle);
    const auto least = std::min_element(times.begin(), times.end());
    const TileSample& picked = oracle.samples[std::size_t(least - times.begin())];
    rows.push_back(row_of(oracle, picked.config, picked.median_us, *least, default_config));
  }
  return rows;
}

std::vector<ShapeRegret> regret_of(const Picker& picker, std::span<const OracleShape> shapes,
                                   const TileConfig& default_config) {
  std::vector<ShapeRegret> rows;
  std::size_t known = 0;
  for (const OracleShape& oracle : shapes) {
    const TilePick pick = picker(oracle.shape);
    const auto time = oracle.time_of(pick.config);
    known += time ? 1 : 0;
    const auto slowest =
        std::max_element(oracle.samples.begin(), oracle.samples.end(),
                         [](const TileSample& a, const TileSample& b) { return a.median_us < b.median_us; });
    rows.push_back(row_of(oracle, pick.config, time.value_or(slowest->median_us), double(pick.predicted_us),
                          default_config));
  }
  if (known == 0)
    throw InvalidInput(
        "regret: the oracle measured none of the picked configurations; is it of another kernel?");
  return rows;
}

std::vector<ShapeRegret> regret_of(const RuntimeTable& table, std::span<const OracleShape> shapes) {
  return regret_of([&](const TileShape& shape) { return table.pick(shape); }, shapes, table.default_config());
}

MeasuredRegret measured_regret_of(const RuntimeTable& table, std::span<const OracleShape> shapes,
                                  std::size_t count) {
  MeasuredRegret found;
  double timings = 0;
  for (const OracleShape& oracle : shapes) {
    const auto time = [&](const TileConfig& config) {
      return oracle.time_of(config).value_or(std::numeric_limits<double>::infinity());
    };
    std::vector<TimedTile> timed;
    std::size_t ran = 0;
    while (ran < count) {
      const auto next = table.next_to_time(oracle.shape, timed);
      if (!next) break;
      timed.push_back({.config = next->config, .us = time(next->config)});
      ran += oracle.time_of(next->config) ? 1 : 0;
    }
    const TileConfig usual = table.default_config();
    const auto is_usual = [&](const TimedTile& one) { return one.config == usual; };
    if (count > 1 && oracle.time_of(usual) && std::none_of(timed.begin(), timed.end(), is_usual) &&
        *table.predict_us(oracle.shape, usual) <=
            double(table.pick(oracle.shape).predicted_us * (1 + kUnsure))) {
      timed.push_back({.config = usual, .us = time(usual)});
      ++ran;
    }
    timings += ran > 0 ? double(ran - 1) : 0;
    const TileConfig fastest =
        std::min_element(timed.begin(), timed.end(), [](const TimedTile& a, const TimedTile& b) {
          return a.us < b.us;
        })->config;
    if (oracle.time_of(fastest)) found.rows.push_back(row_of(oracle, fastest, time(fastest), 0, usual));
  }
  found.timings = timings / double(std::max<std::size_t>(1, shapes.size()));
  return found;
}

NearestShapes::NearestShapes(std::span<const OracleShape> known) {
  for (const OracleShape& oracle : known) {
    const TileShape& at = oracle.shape;
    known_.push_back(
        {std::log(double(at.m)), std::log(double(at.n)), std::log(double(at.k)), oracle.best().config});
  }
}

double NearestShapes::distance(const Known& known, const TileShape& shape) {
  const double m = known.log_m - std::log(double(shape.m)), n = known.log_n - std::log(double(shape.n)),
               k = known.log_k - std::log(double(shape.k));
  return m * m + n * n + k * k;
}

std::vector<ShapeRegret> nearest_shape_regret(std::span<const OracleShape> known,
                                              std::span<const OracleShape> shapes,
                                              const TileConfig& default_config) {
  const NearestShapes table(known);
  std::vector<ShapeRegret> rows;
  for (const OracleShape& oracle : shapes) {
    const auto config =
        table.pick(oracle.shape, [&](const TileConfig& best) { return oracle.time_of(best).has_value(); });
    if (!config) throw InvalidInput("nearest shape: no measured shape shares a configuration");
    rows.push_back(row_of(oracle, *config, *oracle.time_of(*config), 0, default_config));
  }
  return rows;
}

}  // namespace warploom
