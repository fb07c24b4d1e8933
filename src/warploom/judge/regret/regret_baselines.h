// Other ways to choose a configuration, judged by `tune regret` on the shapes that a table is judged on.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/judge/regret/tile_table.h"
#include "warploom/tuner/regret.h"

namespace warploom {

enum class RegretBaseline { Default, NearestShape, XGBoost, XGBoostSamples, WaveTune, WaveTuneRelative };
template <>
struct EnumNames<RegretBaseline> {
  static constexpr std::array<std::pair<RegretBaseline, std::string_view>, 6> kNames{
      {{RegretBaseline::Default, "default"},
       {RegretBaseline::NearestShape, "nearest_shape"},
       {RegretBaseline::XGBoost, "xgboost"},
       {RegretBaseline::XGBoostSamples, "xgboost_samples"},
       {RegretBaseline::WaveTune, "wavetune"},
       {RegretBaseline::WaveTuneRelative, "wavetune_relative"}}};
};

// What choosing costs. Nothing where it was not measured or the method has no such part.
struct ChoiceCost {
  std::optional<std::size_t> anchors;    // timings that it was made from
  std::optional<double> fit_seconds;     // of wall time, to make it from them
  std::optional<double> fit_peak_bytes;  // that the fit held at most, beyond what was held before
  std::optional<double> decision_ns;     // of wall time on one core, a decision in the mean
};

struct RegretOf {
  std::string name, how;
  RegretSummary summary;
  ChoiceCost cost;
};

// What baselines are made from and judged on.
struct RegretSetting {
  const TileTable* table = nullptr;     // its kernel, GPU and default configuration are theirs
  std::span<const OracleShape> shapes;  // judged
  std::span<const TileSample> samples;  // what the table was fitted on; may be empty
  bool times = false;                   // measure decisions
};

// One baseline. Those that learn from exhaustive times learn from one half of the shapes (every second one)
// and are judged on the other, and the reverse; nothing when there is but one shape. Those that learn from
// samples throw InvalidInput without them.
std::optional<RegretOf> regret_of_baseline(RegretBaseline baseline, const RegretSetting& setting);

// What a decision chose, so that no compiler leaves it out.
using Decide = std::function<std::int32_t(const OracleShape&)>;
// Mean wall time of `decide` over the shapes in nanoseconds: the least of several rounds of at least 5 ms.
double decision_ns(std::span<const OracleShape> shapes, const Decide& decide);

}  // namespace warploom
