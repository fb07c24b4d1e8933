#include "warploom/judge/regret/regret_baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/base/work_clock.h"
#include "warploom/judge/regret/latency_trees.h"

namespace warploom {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void set_fit(ChoiceCost& cost, const WorkClock& clock) {
  const WorkCost work = clock.cost();
  cost.fit_seconds = work.seconds;
  cost.fit_peak_bytes = work.peak_bytes;
}

// Every second shape, and the others.
struct OracleHalves {
  explicit OracleHalves(std::span<const OracleShape> shapes) {
    for (std::size_t i = 0; i < shapes.size(); ++i) half[i % 2].push_back(shapes[i]);
  }
  std::vector<OracleShape> half[2];
};

std::vector<TileSample> all_samples(std::span<const OracleShape> shapes) {
  std::vector<TileSample> samples;
  for (const OracleShape& shape : shapes)
    samples.insert(samples.end(), shape.samples.begin(), shape.samples.end());
  return samples;
}

void append(std::vector<ShapeRegret>& rows, std::vector<ShapeRegret> more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

RegretOf regret_of_default(const RegretSetting& setting) {
  const TileConfig fallback = default_config_of(*setting.table);
  std::vector<ShapeRegret> rows;
  for (const OracleShape& oracle : setting.shapes) {
    const auto time = oracle.time_of(fallback);
    if (!time) continue;
    const TileSample& best = oracle.best();
    rows.push_back({.shape = oracle.shape,
                    .picked = fallback,
                    .best = best.config,
                    .picked_us = *time,
                    .best_us = best.median_us,
                    .default_us = time});
  }
  return {.name = "default", .how = "always " + config_text(fallback), .summary = summarize(rows)};
}

RegretOf regret_of_nearest(const RegretSetting& setting) {
  const OracleHalves halves(setting.shapes);
  RegretOf result{.name = "nearest_shape", .how = "best of the nearest shape, other half of the oracle"};
  std::vector<ShapeRegret> rows;
  result.cost.anchors = all_samples(halves.half[0]).size();
  for (const int judged : {0, 1})
    append(rows, nearest_shape_regret(halves.half[1 - judged], halves.half[judged],
                                      default_config_of(*setting.table)));
  result.summary = summarize(rows);
  if (!setting.times) return result;
  const WorkClock clock;
  const NearestShapes known(halves.half[0]);
  set_fit(result.cost, clock);
  result.cost.decision_ns = decision_ns(halves.half[1], [&](const OracleShape& oracle) {
    return known.pick(oracle.shape, [](const TileConfig&) { return true; })->tile_m;
  });
  return result;
}

// The regret of trees on `samples`, whose cost is added to `cost`.
std::vector<ShapeRegret> trees_regret(const RegretSetting& setting, std::span<const TileSample> samples,
                                      std::span<const OracleShape> judged, ChoiceCost& cost) {
  const WorkClock clock;
  const LatencyTrees trees(kernel_of(*setting.table), gpu_of(*setting.table), samples);
  cost.anchors = samples.size();
  if (setting.times) {
    set_fit(cost, clock);
    // Milliseconds each: a few shapes tell enough.
    constexpr std::size_t kTimedShapes = 16;
    cost.decision_ns =
        decision_ns(judged.first(std::min(kTimedShapes, judged.size())), [&](const OracleShape& oracle) {
          const std::vector<double> times = trees.predict_us(oracle);
          return static_cast<std::int32_t>(std::min_element(times.begin(), times.end()) - times.begin());
        });
  }
  return regret_of(
      judged, [&](const OracleShape& oracle) { return trees.predict_us(oracle); },
      default_config_of(*setting.table));
}

RegretOf regret_of_trees(const RegretSetting& setting) {
  const OracleHalves halves(setting.shapes);
  RegretOf result{.name = "xgboost", .how = "trees on every time of the other half of the oracle"};
  std::vector<ShapeRegret> rows;
  for (const int judged : {0, 1})
    append(rows,
           trees_regret(setting, all_samples(halves.half[1 - judged]), halves.half[judged], result.cost));
  result.summary = summarize(rows);
  return result;
}

void require_samples(const RegretSetting& setting, RegretBaseline baseline) {
  if (setting.samples.empty())
    throw InvalidInput(fmt::format(
        "baselines: '{}' is made from the table's samples, expected `samples` with it", name_of(baseline)));
}

RegretOf regret_of_wavetune(const RegretSetting& setting, RegretBaseline baseline) {
  const bool relative = baseline == RegretBaseline::WaveTuneRelative;
  const WorkClock clock;
  const WaveTuneTable table(fit_wavetune(kernel_of(*setting.table), gpu_of(*setting.table), setting.samples,
                                         nullptr, relative ? FitErrors::Shares : FitErrors::Microseconds));
  ChoiceCost fitted;
  set_fit(fitted, clock);
  RegretOf result{.name = std::string(name_of(baseline)),
                  .how = relative ? "the same, errors weighed as shares of the time"
                                  : "a G L + b G + c L + d per tile and wave on the table's samples"};
  result.cost.anchors = table.model().anchors;
  if (setting.times) {
    result.cost.fit_seconds = fitted.fit_seconds;
    result.cost.fit_peak_bytes = fitted.fit_peak_bytes;
    result.cost.decision_ns = decision_ns(
        setting.shapes, [&](const OracleShape& oracle) { return table.pick(oracle.shape).config.tile_m; });
  }
  result.summary = summarize(regret_of([&](const TileShape& shape) { return table.pick(shape); },
                                       setting.shapes, default_config_of(*setting.table)));
  return result;
}

}  // namespace

double decision_ns(std::span<const OracleShape> shapes, const Decide& decide) {
  constexpr double kRoundSeconds = 5e-3;
  constexpr int kRounds = 5;
  double least = std::numeric_limits<double>::infinity();
  volatile std::int32_t chosen = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = Clock::now();
    double taken = 0;
    std::size_t decisions = 0;
    do {
      for (const OracleShape& oracle : shapes) chosen = decide(oracle);
      decisions += shapes.size();
      taken = seconds_since(start);
    } while (taken < kRoundSeconds);
    least = std::min(least, taken / double(decisions));
  }
  (void)chosen;
  return 1e9 * least;
}

std::optional<RegretOf> regret_of_baseline(RegretBaseline baseline, const RegretSetting& setting) {
  switch (baseline) {
    case RegretBaseline::Default:
      return regret_of_default(setting);
    case RegretBaseline::NearestShape:
      if (setting.shapes.size() < 2) return std::nullopt;
      return regret_of_nearest(setting);
    case RegretBaseline::XGBoost:
      if (setting.shapes.size() < 2) return std::nullopt;
      return regret_of_trees(setting);
    case RegretBaseline::XGBoostSamples: {
      require_samples(setting, baseline);
      RegretOf result{.name = "xgboost_samples", .how = "trees on the table's own samples"};
      result.summary = summarize(trees_regret(setting, setting.samples, setting.shapes, result.cost));
      return result;
    }
    case RegretBaseline::WaveTune:
    case RegretBaseline::WaveTuneRelative:
      require_samples(setting, baseline);
      return regret_of_wavetune(setting, baseline);
  }
  return std::nullopt;
}

}  // namespace warploom
