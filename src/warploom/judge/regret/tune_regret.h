// Use case `tune regret`: a table's picks against exhaustive measurements, beside other ways to choose.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/judge/regret/regret_baselines.h"
#include "warploom/tuner/regret.h"

namespace warploom {

struct TuneRegretRequest {
  std::filesystem::path table;                // of either method of `tune fit`
  std::vector<std::filesystem::path> oracle;  // every configuration at every shape
  std::vector<std::filesystem::path>
      samples;  // what the table was fitted on; some baselines are made from them
  // Sets that something was learned from or designed on: the oracle's shapes among them are not judged. Those
  // of `samples` are not either.
  std::vector<std::filesystem::path> seen;
  std::string gpu;  // that the oracle was measured on; empty: not checked against the table's
  FileScope files = FileScope::machine();  // where names may be paths
  bool with_baselines = true;
  std::vector<std::string> baselines;  // names of RegretBaseline; empty: those that the samples allow
  bool times = false;                  // also measure what fits and decisions take
  static FieldTable describe();
};

struct MeasuredSummary {
  std::size_t candidates = 0;  // beside the pick and the default, at most
  double timings = 0;          // of a shape, in the mean, beside the pick's
  RegretSummary summary;
};

struct TuneRegretResult {
  RegretSummary table;
  bool wavetune = false;          // the table is one of the published model
  ChoiceCost cost;                // of the table; its fit is repeated on `samples`, where given
  std::size_t seen_shapes = 0;    // of the oracle, not judged
  RegretSummary with_seen;        // of the table, judged on those too
  std::vector<ShapeRegret> rows;  // of the table, in the oracle's order
  std::vector<RegretOf> baselines;
  // Where one or two more candidates of a shape are measured (tuner/regret.h); none of the published model.
  std::vector<MeasuredSummary> measured;
};

// Baselines (regret_baselines.h): the default configuration; the best configuration of the nearest shape and
// boosted trees, both learned from the exhaustive times of one half of the shapes and judged on the other,
// and the reverse; on `samples`, trees and the published wave model. Throws IoError, InvalidInput (also when
// every shape of the oracle was seen, when a baseline is unknown, and when the table is of another GPU),
// Unsupported.
TuneRegretResult tune_regret(const TuneRegretRequest& request);

}  // namespace warploom
