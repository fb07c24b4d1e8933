// Fits data/tuner/record_rules.json (tuner/record_rules.h) on one GPU's measured configurations, and says
// what another's, which nothing was fitted on, say of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/tuner/record_rules.h"

namespace warploom {

// How estimates by the record do on every configuration of some shapes.
struct RecordJudged {
  std::size_t shapes = 0;
  double geo_mean_share = 0, worst_share = 1;  // of the best: the least estimate's
  double residual = 0;  // ln, root mean square around a shape's mean, of what is within 1.5 times its best
  double inside = 0, above_p10 = 0;  // shares of shapes whose share lies within p10 and p90; from p10 on
};

struct RecordFit {
  RecordRules rules;
  std::string fitted_gpu, unseen_gpu;
  RecordJudged plain_fitted, plain_unseen, blocks_fitted, blocks_unseen;
};

// `fixtures`: tests/fixtures/tuner, whose record_sets.json names GPUs and files. Throws IoError,
// InvalidInput. Takes a few seconds.
RecordFit fit_record_rules(const std::filesystem::path& fixtures);

// The data file: rules, what they were fitted on and both GPUs' figures.
Json record_rules_json(const RecordFit& fit, const std::filesystem::path& fixtures);
std::string record_fit_text(const RecordFit& fit);

}  // namespace warploom
