// Use case `tune regret`: a table's picks against exhaustive measurements, beside other ways to choose.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/tuner/regret.h"

namespace warploom {

struct TuneRegretRequest {
  std::filesystem::path table;
  std::vector<std::filesystem::path> oracle;   // every configuration at every shape
  std::vector<std::filesystem::path> samples;  // what the table was fitted on; trees on them are one baseline
  // Sets that something was learned from or designed on: the oracle's shapes among them are not judged. Those
  // of `samples` are not either.
  std::vector<std::filesystem::path> seen;
  bool baselines = true;
  static FieldTable describe();
};

struct RegretOf {
  std::string name, how;
  RegretSummary summary;
};

struct TuneRegretResult {
  RegretSummary table;
  std::size_t seen_shapes = 0;    // of the oracle, not judged
  RegretSummary with_seen;        // of the table, judged on those too
  std::vector<ShapeRegret> rows;  // of the table, in the oracle's order
  std::vector<RegretOf> baselines;
};

// Baselines: the default configuration; the best configuration of the nearest shape and boosted trees, both
// learned from the exhaustive times of one half of the shapes and judged on the other, and the reverse; trees
// on `samples`. Throws IoError, InvalidInput (also when
// every shape of the oracle was seen), Unsupported.
TuneRegretResult tune_regret(const TuneRegretRequest& request);

}  // namespace warploom
